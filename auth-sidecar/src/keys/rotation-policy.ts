import type { Settings } from "../settings.ts";
import type { SigningAlgorithm } from "./signing-key.ts";

/** How long each phase of a rotation takes: publish, wait, sign, wait, retire. All in seconds. */
export interface RotationPolicy {
  /** Of the next key. */
  readonly algorithm: SigningAlgorithm;
  /** From publishing a key to signing with it. */
  readonly publishedBeforeSigning: number;
  /** From the next key's first token to withdrawing this one. */
  readonly publishedAfterSigning: number;
  /** Age at which a signing key is replaced; 0 for never. */
  readonly period: number;
}

export function rotationPolicy(settings: Settings): RotationPolicy {
  const { JWKS_MAX_AGE_SECONDS: maxAge, KEY_REFRESH_SECONDS: refresh, TOKEN_LIFE_SECONDS: life } = settings;
  return {
    algorithm: settings.TOKEN_ALGORITHM,
    // Every replica publishes the key one refresh later; what a verifier fetched just before that, it keeps for max-age. One
    // refresh more for late ones.
    publishedBeforeSigning: maxAge + 2 * refresh,
    // The last token of the old key may be signed as late as one refresh after its successor's time.
    publishedAfterSigning: life + 2 * refresh,
    period: settings.KEY_ROTATION_HOURS * 3600,
  };
}
