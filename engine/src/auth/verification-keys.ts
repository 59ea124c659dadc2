import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { z } from "zod";
import type { KeyType } from "./jwt-settings.ts";

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
  const publicKey = parsePublicKey(key);
  const problem = typeProblem(type, publicKey);
  if (problem !== undefined) throw new Error(`key: ${problem}`);
  return publicKey;
}

function parsePublicKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw new Error("key: is not a PEM public key or certificate");
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
  /** Called when the set of keys changes: tokens verified with a withdrawn key must be verified again. */
  readonly onChange?: () => void;
  /** Time limit in milliseconds for all attempts of the first fetch; default 6,000, as in Hasura. */
  readonly startTimeout?: number;
}

export type KeySetEvent =
  | { readonly type: "fetched"; readonly keys: number; readonly nextInMilliseconds: number }
  | { readonly type: "failed"; readonly message: string };

export interface RemoteKeySet {
  readonly getKey: JWTVerifyGetKey;
  /** Stops refreshing. */
  close(): void;
}

const attemptTimeout = 5_000;
const firstRetry = 250;
/** Refresh interval for a set without cache headers, in milliseconds (Hasura never refreshes). */
const lifetimeByDefault = 60_000;
const shortestLifetime = 1_000;
const longestLifetime = 24 * 3_600_000;
const retryAfterFailure = 15_000;
/** Minimum interval between fetches for an unknown kid, in milliseconds. */
const unknownKeyCooldown = 10_000;
const largestSet = 1_048_576;

const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })) });

/**
 * A JWKS (RFC 7517) behind a URL. It is fetched now, again when Cache-Control or Expires requires it, and when a token has an unknown kid.
 * Symmetric keys are ignored. When a later fetch fails, the current keys stay in use.
 * @throws Error when the first fetch still fails after `startTimeout`.
 */
export async function createRemoteKeySet(options: RemoteKeySetOptions): Promise<RemoteKeySet> {
  let resolve: JWTVerifyGetKey | undefined;
  let known = "";
  let lastFetch = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function load(): Promise<void> {
    lastFetch = options.now();
    try {
      const { keySet, lifetime } = await fetchKeySet(options);
      const text = JSON.stringify(keySet);
      resolve = createLocalJWKSet(keySet);
      if (known !== "" && known !== text) options.onChange?.();
      known = text;
      const next = Math.min(Math.max(lifetime ?? lifetimeByDefault, shortestLifetime), longestLifetime);
      options.onEvent({ type: "fetched", keys: keySet.keys.length, nextInMilliseconds: next });
      schedule(next);
    } catch (error) {
      options.onEvent({ type: "failed", message: describe(error) });
      schedule(retryAfterFailure);
      throw error;
    }
  }

  function refresh(): Promise<void> {
    running ??= load().finally(() => {
      running = undefined;
    });
    return running;
  }

  function schedule(delay: number): void {
    clearTimeout(timer);
    if (closed) return;
    // A failed refresh is already reported, and the next one is scheduled.
    timer = setTimeout(() => void refresh().catch(() => undefined), delay);
    timer.unref();
  }

  await retryFirst(refresh, options);

  return {
    async getKey(header, token) {
      if (resolve === undefined) throw new errors.JWKSNoMatchingKey();
      try {
        return await resolve(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || closed) throw error;
        if (running === undefined && options.now() - lastFetch < unknownKeyCooldown) throw error;
        await refresh().catch(() => undefined);
        return resolve(header, token);
      }
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
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
    await new Promise((wake) => setTimeout(wake, delay));
  }
}

async function fetchKeySet(
  options: RemoteKeySetOptions,
): Promise<{ keySet: JSONWebKeySet; lifetime: number | undefined }> {
  const response = await options.fetch(options.url, {
    headers: { accept: "application/jwk-set+json, application/json" },
    signal: AbortSignal.timeout(attemptTimeout),
  });
  if (!response.ok) throw new Error(`status ${String(response.status)}`);
  const text = await response.text();
  if (text.length > largestSet) throw new Error("the reply is too large");
  const { keys } = keySetSchema.parse(JSON.parse(text));
  const asymmetric = keys.filter(({ kty }) => kty !== "oct");
  if (asymmetric.length === 0) throw new Error("the reply holds no public key");
  return { keySet: { keys: asymmetric }, lifetime: cacheLifetime(response.headers, options.now()) };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown failure";
  return error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
}

/**
 * Time in milliseconds for which a reply may be cached, by Cache-Control `max-age` or `s-maxage`, else by Expires (RFC 9111 section 4.2.1).
 * Undefined when the reply has no such header, 0 when it forbids caching.
 */
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
