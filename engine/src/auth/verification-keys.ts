import { createSecretKey, type KeyObject } from "node:crypto";
import { PemError, publicKeyOf } from "@routeql/contract/pem";
import type { UnavailableReason } from "@routeql/contract/unavailable";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { EngineError } from "../errors.ts";
import type { KeyType } from "./jwt-settings.ts";
import { type FetchedKeySet, fetchKeySet, KeySetFailure } from "./key-set.ts";

const secretBytes: Partial<Record<KeyType, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const curves: Partial<Record<KeyType, string>> = { ES256: "prime256v1", ES384: "secp384r1", ES512: "secp521r1" };

/**
 * The verification key from `key` of HASURA_GRAPHQL_JWT_SECRET: the bytes of an HMAC secret, or a PEM public key or X.509 certificate.
 * Rejects secrets shorter than their hash (RFC 7518 section 3.2), RSA keys under 2048 bits, keys of another type and private keys.
 * @throws Error that never repeats the key.
 */
export function importStaticKey(type: KeyType, key: string): KeyObject {
  const needed = secretBytes[type];
  if (needed !== undefined) {
    const bytes = Buffer.from(key, "utf8");
    if (bytes.length < needed) throw new Error(`key: ${type} needs at least ${String(needed)} bytes`);
    return createSecretKey(bytes);
  }
  if (key.includes("PRIVATE KEY")) throw new Error("key: must be a public key or a certificate, not a private key");
  const publicKey = readPublicKey(key);
  const problem = typeProblem(type, publicKey);
  if (problem !== undefined) throw new Error(`key: ${problem}`);
  return publicKey;
}

function readPublicKey(text: string): KeyObject {
  try {
    return publicKeyOf(text);
  } catch (error) {
    if (!(error instanceof PemError)) throw error;
    throw new Error(`key: ${error.message}`, { cause: error });
  }
}

function typeProblem(type: KeyType, key: KeyObject): string | undefined {
  if (type.startsWith("RS")) {
    if (key.asymmetricKeyType !== "rsa") return `${type} needs an RSA key`;
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? "RSA keys need at least 2048 bits" : undefined;
  }
  if (type === "Ed25519") return key.asymmetricKeyType === "ed25519" ? undefined : "Ed25519 needs an Ed25519 key";
  return key.asymmetricKeyDetails?.namedCurve === curves[type]
    ? undefined
    : `${type} needs a key on the curve ${String(curves[type])}`;
}

export interface RemoteKeySetOptions {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly onEvent: (event: KeySetEvent) => void;
  /** Called when the keys or the revocations change: tokens verified before must be verified again. */
  readonly onChange?: () => void;
  /** Milliseconds after the last successful fetch for which the keys verify tokens; default unlimited. */
  readonly longestUse?: number | undefined;
  /** Time limit in milliseconds for all attempts of the first fetch; default 6,000, as in Hasura. */
  readonly startTimeout?: number;
}

export type KeySetEvent =
  | {
      readonly type: "fetched";
      readonly keys: number;
      /** Keys of the set that verify no token. */
      readonly unusable: number;
      readonly nextInMilliseconds: number;
    }
  | { readonly type: "failed"; readonly message: string };

export interface RemoteKeySet {
  readonly getKey: JWTVerifyGetKey;
  /** Changes with every change of the keys or the revocations. */
  readonly version: number;
  /** Text that identifies the key material behind a kid; behind all keys for a token without one. Empty for a key that is not in the set. */
  material(kid: string | undefined): string;
  /** The tokens of the account that were issued before this time are revoked, in seconds since the epoch. */
  revokedBefore(account: string | undefined): number;
  /** Stops refreshing. */
  close(): void;
}

const firstRetry = 250;
/** Refresh interval for a set without cache headers, in milliseconds (Hasura never refreshes). */
const lifetimeByDefault = 60_000;
const shortestLifetime = 1_000;
const longestLifetime = 24 * 3_600_000;
/** Refresh interval for a set with revocations, in milliseconds. */
const revocationInterval = 5_000;
const retryAfterFailure = 5_000;
/** Minimum interval between fetches for an unknown kid, in milliseconds. */
const unknownKeyCooldown = 10_000;
/** The same for a set with revocations. It is of this stack, whose next key may sign at once, so a token waits for the fetch. */
const unknownKeyWait = 250;

/** An account for which {@link RemoteKeySet.revokedBefore} holds for all accounts. */
const everyAccount = "*";

/**
 * A JWKS (RFC 7517) behind a URL. It is fetched now, again when Cache-Control or Expires requires it, and when a token has an unknown kid.
 * Symmetric and unusable keys are ignored. When a later fetch fails, the current keys and revocations stay in use for `longestUse`.
 * @throws Error when the first fetch still fails after `startTimeout`.
 */
export async function createRemoteKeySet(options: RemoteKeySetOptions): Promise<RemoteKeySet> {
  let resolve: JWTVerifyGetKey | undefined;
  let keys: JSONWebKeySet["keys"] = [];
  let named = false;
  let revoked = new Map<string, number>();
  let known = "";
  let version = 0;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  let lastFetch = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let upcoming: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  let isOfThisStack = false;
  /** Why the last fetch failed. */
  let failure: UnavailableReason | undefined;

  async function load(): Promise<void> {
    lastFetch = options.now();
    try {
      const { keySet, lifetime = lifetimeByDefault } = await fetchKeySet(options.url, options.fetch, options.now);
      use(keySet);
      fetchedAt = options.now();
      failure = undefined;
      isOfThisStack = keySet.revoked_before !== undefined;
      // No token shows that a key without a name is new, so the set is read often.
      const longest = isOfThisStack ? revocationInterval : named ? longestLifetime : lifetimeByDefault;
      const delay = Math.min(Math.max(lifetime, shortestLifetime), longest);
      const { length } = keySet.keys;
      options.onEvent({ type: "fetched", keys: length, unusable: keySet.unusable, nextInMilliseconds: delay });
      schedule(delay);
    } catch (error) {
      failure = error instanceof KeySetFailure ? error.reason : "keys";
      options.onEvent({ type: "failed", message: describe(error) });
      schedule(retryAfterFailure);
      throw error;
    }
  }

  function use(keySet: FetchedKeySet): void {
    const text = JSON.stringify(keySet);
    if (known === text) return;
    const local = createLocalJWKSet({ keys: [...keySet.keys] });
    // In a set without names, the name in a token's header selects nothing.
    named = keySet.keys.some(({ kid }) => kid !== undefined);
    resolve = (header, token) => local(named ? header : { ...header, kid: undefined }, token);
    keys = keySet.keys;
    revoked = new Map(Object.entries(keySet.revoked_before ?? {}));
    known = text;
    version += 1;
    if (version > 1) options.onChange?.();
  }

  const isTooOld = (): boolean => options.now() - fetchedAt > (options.longestUse ?? Infinity);

  function refresh(): Promise<void> {
    running ??= load().finally(() => {
      running = undefined;
    });
    return running;
  }

  /** A fetch that starts later than now, because a running one may lack the key. All requests that arrive before it starts share it. */
  function refreshAfterWait(): Promise<void> {
    upcoming ??= (async () => {
      await running?.catch(() => undefined);
      const wait = Math.min(lastFetch + unknownKeyWait - options.now(), unknownKeyWait);
      if (wait > 0) await pause(wait);
      await running?.catch(() => undefined);
      upcoming = undefined;
      await refresh();
    })();
    return upcoming;
  }

  function schedule(delay: number): void {
    clearTimeout(timer);
    if (closed) return;
    // A failed refresh is already reported, and the next one is scheduled.
    timer = setTimeout(() => void refresh().catch(() => undefined), delay);
    timer.unref();
  }

  function close(): void {
    closed = true;
    clearTimeout(timer);
  }

  await retryFirst(refresh, options).catch((error: unknown) => {
    close();
    throw error;
  });

  return {
    get version() {
      return version;
    },
    material: (kid) => {
      const possible = kid === undefined || !named ? keys : keys.filter((key) => key.kid === kid);
      return possible.length === 0 ? "" : JSON.stringify(possible);
    },
    revokedBefore: (account = "") => Math.max(revoked.get(account) ?? 0, revoked.get(everyAccount) ?? 0),
    async getKey(header, token) {
      if (resolve === undefined) throw new errors.JWKSNoMatchingKey();
      if (isTooOld() && !closed) await refresh().catch(() => undefined);
      if (isTooOld()) throw unverifiable(options.url, failure);
      try {
        return await resolve(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || closed) throw error;
        const isRecent = running === undefined && options.now() - lastFetch < unknownKeyCooldown;
        if (isOfThisStack) await refreshAfterWait().catch(() => undefined);
        else if (!isRecent) await refresh().catch(() => undefined);
        else if (failure === undefined) throw error;
        if (failure === undefined) return resolve(header, token);
        // The key may be a new one, so the token is not known to be invalid.
        throw unverifiable(options.url, failure);
      }
    },
    close,
  };
}

/** @param reason why the last fetch failed */
function unverifiable(url: string, reason: UnavailableReason = "keys"): EngineError {
  const internal = { error: `${url} does not answer` };
  return new EngineError({ code: "busy", message: "tokens cannot be verified now, try again later", reason, internal });
}

async function retryFirst(refresh: () => Promise<void>, options: RemoteKeySetOptions): Promise<void> {
  const deadline = options.now() + (options.startTimeout ?? 6_000);
  for (let delay = firstRetry; ; delay = Math.min(delay * 2, 2_000)) {
    try {
      await refresh();
      return;
    } catch (error) {
      if (options.now() + delay >= deadline) {
        throw new Error(`cannot fetch the token keys from ${options.url}: ${describe(error)}`, { cause: error });
      }
    }
    await pause(delay);
  }
}

const pause = (milliseconds: number): Promise<void> => new Promise((wake) => setTimeout(wake, milliseconds));

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}
