/** Fetches a JWKS (RFC 7517) and keeps the keys that verify tokens. */
import { createPublicKey } from "node:crypto";
import { errorsHeader, type UnavailableReason } from "@routeql/contract/unavailable";
import type { JSONWebKeySet, JWK } from "jose";
import { z } from "zod";

export interface FetchedKeySet {
  readonly keys: JSONWebKeySet["keys"];
  /** Seconds since the epoch by account; an additional member of the set, as RFC 7517 section 5 allows. */
  readonly revoked_before?: Readonly<Record<string, number>> | undefined;
  /** Number of keys that verify no token: of other kinds, damaged, or shared secrets. */
  readonly unusable: number;
}

/** A fetch that the auth sidecar answered with the service that fails it. */
export class KeySetFailure extends Error {
  readonly reason: UnavailableReason;

  constructor(status: number, reason: UnavailableReason) {
    super(`status ${String(status)} (${reason})`);
    this.reason = reason;
  }
}

const attemptTimeout = 5_000;
const largestSet = 1_048_576;

const keySetSchema = z.looseObject({
  keys: z.array(z.unknown()),
  revoked_before: z.record(z.string(), z.number()).optional(),
});

/** @throws Error that says why the reply holds no key set. */
export async function fetchKeySet(
  url: string,
  fetched: typeof fetch,
  now: () => number,
): Promise<{ keySet: FetchedKeySet; lifetime: number | undefined }> {
  const response = await fetched(url, {
    headers: { accept: "application/jwk-set+json, application/json" },
    signal: AbortSignal.timeout(attemptTimeout),
  });
  if (!response.ok) {
    if (response.headers.get(errorsHeader)?.endsWith(":database") === true)
      throw new KeySetFailure(response.status, "database");
    throw new Error(`status ${String(response.status)}`);
  }
  const text = await response.text();
  if (text.length > largestSet) throw new Error("the reply is too large");
  const { data, error } = keySetSchema.safeParse(jsonOf(text));
  if (error !== undefined) {
    const [member = "keys"] = error.issues[0]?.path ?? [];
    throw new Error(`the reply is no key set (RFC 7517): ${String(member)} is missing, or of another form`);
  }
  const keys = data.keys.flatMap((key) => usable(key) ?? []);
  if (keys.length === 0) throw new Error("the reply holds no public key");
  const unusable = data.keys.length - keys.length;
  return {
    keySet: { keys, revoked_before: data.revoked_before, unusable },
    lifetime: cacheLifetime(response.headers, now()),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the reply is not JSON");
  }
}

const stated = z.object({
  kty: z.enum(["RSA", "EC", "OKP"]),
  kid: z.string().optional().catch(undefined),
  use: z.string().optional().catch(undefined),
  alg: z.string().optional().catch(undefined),
  key_ops: z.array(z.string()).optional().catch(undefined),
});

/**
 * The public key with the members that matter here. A set may hold keys that this service does not understand, which must not keep it from the
 * others (RFC 7517 section 5); without material or with a short one, a key would fail each token that may be signed by it.
 */
function usable(key: unknown): JWK | undefined {
  const { data } = stated.safeParse(key);
  if (data === undefined) return undefined;
  try {
    const read = createPublicKey({ key: key as JWK, format: "jwk" });
    if (data.kty === "RSA" && (read.asymmetricKeyDetails?.modulusLength ?? 0) < 2048) return undefined;
    const { kid, use, key_ops } = data;
    // Two names of one algorithm (RFC 9864): the token may have the other one.
    const alg = read.asymmetricKeyType === "ed25519" ? undefined : data.alg;
    const known = Object.entries({ kid, use, alg, key_ops }).filter(([, value]) => value !== undefined);
    return { ...read.export({ format: "jwk" }), ...Object.fromEntries(known) };
  } catch {
    return undefined;
  }
}

/** Milliseconds for which a reply may be cached (RFC 9111 section 4.2.1); undefined without such a header, 0 when forbidden. */
function cacheLifetime(headers: Headers, now: number): number | undefined {
  const control = headers.get("cache-control");
  if (control !== null) {
    const directives = control.split(",").map((directive) => directive.trim().toLowerCase());
    if (directives.includes("no-store") || directives.includes("no-cache")) return 0;
    for (const name of ["s-maxage", "max-age"]) {
      const seconds = directives
        .map((directive) => new RegExp(`^${name}="?(\\d+)"?$`).exec(directive)?.[1])
        .find(Boolean);
      if (seconds !== undefined) return Number(seconds) * 1000;
    }
  }
  const expires = headers.get("expires");
  if (expires === null) return undefined;
  const at = Date.parse(expires);
  return Number.isNaN(at) ? 0 : Math.max(0, at - now);
}
