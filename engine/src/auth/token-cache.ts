import { LRUCache } from "lru-cache";
import type { Session } from "../engine.ts";
import type { GrantedClaims } from "./claims.ts";

/** A verified token, until it expires. */
export interface VerifiedToken extends GrantedClaims {
  /** Expiry in milliseconds since the epoch; Infinity for a token without `exp`. */
  readonly expiresAt: number;
  /** {@link Session.client} of its sessions. */
  readonly client: string;
  /** Sessions already created from it, by role. */
  readonly sessions: Map<string, Session>;
}

export interface TokenCache {
  get(token: string): VerifiedToken | undefined;
  set(token: string, verified: VerifiedToken): void;
  clear(): void;
}

/** Longer tokens are verified each time, because they would fill the cache. */
const longestToken = 8_192;

/** Caches a bounded number of verified tokens, never past their expiry. */
export function createTokenCache(size: number, now: () => number): TokenCache {
  const entries = new LRUCache<string, VerifiedToken>({ max: size });
  return {
    get(token) {
      const entry = entries.get(token);
      if (entry === undefined || now() < entry.expiresAt) return entry;
      entries.delete(token);
      return undefined;
    },
    set(token, verified) {
      if (token.length <= longestToken) entries.set(token, verified);
    },
    clear() {
      entries.clear();
    },
  };
}
