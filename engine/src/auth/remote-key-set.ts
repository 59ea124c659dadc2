import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { z } from "zod";

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
