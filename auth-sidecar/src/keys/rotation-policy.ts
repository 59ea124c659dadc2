import type { Settings } from "../settings.ts";
import type { SigningAlgorithm } from "./signing-key.ts";

/** Durations of a rotation's phases: publish, wait, sign, wait, retire. All in seconds. */
export interface RotationPolicy {
  /** Of the next key. */
  readonly algorithm: SigningAlgorithm;
  /** From publishing a key to its first signature. */
  readonly publishedBeforeSigning: number;
  /** From the next key's first token to the retirement of this one. */
  readonly publishedAfterSigning: number;
  /** Age at which a signing key is replaced; 0 for never. */
  readonly period: number;
}

export function rotationPolicy(settings: Settings): RotationPolicy {
  const { JWKS_MAX_AGE_SECONDS: maxAge, KEY_REFRESH_SECONDS: refresh, TOKEN_LIFE_SECONDS: life } = settings;
  return {
    algorithm: settings.TOKEN_ALGORITHM,
    // Every replica publishes the key one refresh later. A verifier that fetched the set just before caches it for max-age. One
    // more refresh is a reserve.
    publishedBeforeSigning: maxAge + 2 * refresh,
    // The old key's last token may be signed one refresh after its successor's time.
    publishedAfterSigning: life + 2 * refresh,
    period: settings.KEY_ROTATION_HOURS * 3600,
  };
}
