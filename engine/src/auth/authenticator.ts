import { type RotatedSecret, secretComparison } from "@routeql/contract/rotated-secret";
import { decodeProtectedHeader, type JWTPayload } from "jose";
import { LRUCache } from "lru-cache";
import type { Session } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { grantedClaims, type GrantedClaims } from "./claims.ts";
import type { JwtSettings } from "./jwt-settings.ts";
import { cookieValue, forwardedFor, headerValue, type RequestHeaders } from "./request-headers.ts";
import {
  adminRole,
  backendOnlyHeader,
  createSession,
  hasuraSecretHeaders,
  roleVariable,
  sessionFromHeaders,
} from "./session.ts";
import { createTokenVerifier, revokedToken, type TokenVerifier } from "./token-verifier.ts";
import { createRemoteKeySet, importStaticKey, type KeySetEvent, type RemoteKeySet } from "./verification-keys.ts";

/** Any case, unlike Hasura: schemes are case-insensitive (RFC 9110, 11.1). */
const bearer = /^\s*Bearer\s+(\S+)\s*$/i;

/** The raw token of a request; undefined without one. @throws EngineError `invalid-headers` for another form of Authorization. */
function tokenOf(headers: RequestHeaders, where: JwtSettings["header"]): string | undefined {
  if (where.type === "Cookie") {
    const cookies = headerValue(headers, "cookie");
    return cookies === undefined ? undefined : cookieValue(cookies, where.name);
  }
  if (where.type === "CustomHeader") {
    const value = headerValue(headers, where.name)?.trim();
    return value === undefined ? undefined : (bearer.exec(value)?.[1] ?? value);
  }
  const value = headers.authorization;
  if (value === undefined) return undefined;
  const token = bearer.exec(value)?.[1];
  if (token === undefined)
    throw new EngineError({ code: "invalid-headers", message: "Malformed Authorization header" });
  return token;
}

export interface AuthenticatorOptions {
  readonly adminSecret: RotatedSecret;
  /** Names of headers, in addition to Hasura's two, that carry the admin secret; lower-case. */
  readonly adminSecretHeaders: readonly string[];
  /** The only session variables that a request without a token may set, lower-case; default: all. */
  readonly sessionVariables?: readonly string[] | undefined;
  readonly jwt?: JwtSettings | undefined;
  readonly unauthorizedRole?: string | undefined;
  /** Accepts tokens without iss, aud or exp, as Hasura does. */
  readonly lax?: boolean;
  /** Longest time from iat to exp that is accepted, in seconds; default 0 = any time. */
  readonly longestTokenLife?: number;
  /** Number of verified tokens to cache; default 10,000. */
  readonly cachedTokens?: number;
  readonly now?: () => number;
  readonly fetch?: typeof fetch;
  readonly onKeySetEvent?: (event: KeySetEvent) => void;
  /** Timeout of the first fetch of the key set, in milliseconds. */
  readonly keySetStartTimeout?: number;
}

export interface Authentication {
  readonly session: Session;
  /** Expiry in milliseconds since the epoch; Infinity for none. */
  readonly expiresAt: number;
  /** True when the key of the token is withdrawn, or the token of the account revoked. */
  readonly isRevoked: () => boolean;
}

export interface Authenticator {
  /** Authenticates in Hasura's order: admin secret, token, unauthorized role; synchronously without a token. @throws EngineError */
  authenticate(headers: RequestHeaders): Authentication | Promise<Authentication>;
  /** Calls the listener when {@link Authentication.isRevoked} may have changed. */
  onRevocation(listener: () => void): void;
  /** Calls the listener with the client's address for each request with the admin secret before the last rotation. */
  onPreviousSecret(listener: (address: string) => void): void;
  close(): void;
}

/** Checks the admin secret and tokens as Hasura v2 does. @throws Error when the key is unusable or the key set cannot be fetched. */
export async function createAuthenticator(options: AuthenticatorOptions): Promise<Authenticator> {
  const now = options.now ?? Date.now;
  const adminSecretOf = secretComparison(options.adminSecret, now);
  const secretHeaders = new Set([...hasuraSecretHeaders, ...options.adminSecretHeaders]);
  const allowed = options.sessionVariables === undefined ? undefined : new Set(options.sessionVariables);
  const tokens = createTokenCache(options.cachedTokens ?? 10_000, now);
  const listeners: (() => void)[] = [];
  let previousSecretUsed: (address: string) => void = () => undefined;
  const { verify, keySet } = await createVerification(options, now, () => {
    tokens.clear();
    for (const listener of listeners) listener();
  });

  /** Every secret header in the request must be right, so that a right one cannot hide a wrong one. */
  function adminSecretIn(headers: RequestHeaders): "current" | "previous" | undefined {
    let present: "current" | "previous" | undefined;
    for (const name of secretHeaders) {
      const value = headerValue(headers, name);
      if (value === undefined) continue;
      const which = adminSecretOf(value);
      if (which === undefined) throw wrongAdminSecret();
      if (which === "previous") previousSecretUsed(headerValue(headers, forwardedFor) ?? "");
      present = which;
    }
    return present;
  }

  function withoutToken(headers: RequestHeaders): Authentication {
    if (options.unauthorizedRole === undefined) throw options.jwt === undefined ? adminSecretNeeded() : tokenNeeded();
    return { session: sessionFromHeaders(options.unauthorizedRole, headers, { secretHeaders, allowed }), ...unlimited };
  }

  /** Verifies again when the keys or revocations changed meanwhile: neither the result nor the cache may outlive that change. */
  async function verifyToken(token: string, verifier: TokenVerifier, jwt: JwtSettings): Promise<VerifiedToken> {
    let payload: JWTPayload;
    let version: number | undefined;
    do {
      version = keySet?.version;
      payload = await verifier(token);
    } while (version !== keySet?.version);
    const isRevoked = revocationOf(token, payload, keySet);
    if (isRevoked()) throw revokedToken();
    const claims = grantedClaims(payload, jwt);
    const expiresAt = payload.exp === undefined ? Infinity : (payload.exp + jwt.allowed_skew) * 1000;
    const client = clientOf(payload, claims);
    const credential = typeof payload.jti === "string" ? `token ${payload.jti}` : "token";
    const verified = { ...claims, expiresAt, isRevoked, client, credential, sessions: new Map<string, Session>() };
    tokens.set(token, verified);
    return verified;
  }

  return {
    authenticate(headers) {
      const secret = adminSecretIn(headers);
      if (secret !== undefined) {
        const role = headerValue(headers, roleVariable);
        const chosen = role === undefined || role === "" ? adminRole : role;
        const credential = secret === "current" ? "access key" : "previous access key";
        const session = sessionFromHeaders(chosen, headers, { secretHeaders, allowed, credential });
        const mayBeBackend = allowed?.has(backendOnlyHeader) ?? true;
        return {
          session: mayBeBackend && isBackend(headers) ? { ...session, isBackend: true } : session,
          ...unlimited,
        };
      }
      if (verify === undefined || options.jwt === undefined) return withoutToken(headers);
      const token = tokenOf(headers, options.jwt.header);
      if (token === undefined) return withoutToken(headers);
      const known = tokens.get(token);
      if (known !== undefined) return choose(known, headers);
      return verifyToken(token, verify, options.jwt).then((verified) => choose(verified, headers));
    },
    onRevocation(listener) {
      listeners.push(listener);
    },
    onPreviousSecret(listener) {
      previousSecretUsed = listener;
    },
    close() {
      keySet?.close();
    },
  };
}

/** Whether the request asks for permissions that are `backend_only`. @throws EngineError */
function isBackend(headers: RequestHeaders): boolean {
  const value = headerValue(headers, backendOnlyHeader);
  if (value === undefined || /^(?:false|f|no|n)$/i.test(value)) return false;
  if (/^(?:true|t|yes|y)$/i.test(value)) return true;
  const valid =
    'True values are ["true","t","yes","y"] and  False values are ["false","f","no","n"]. All values are case insensitive';
  throw new EngineError({ code: "bad-request", message: `${backendOnlyHeader}:  Not a valid boolean text. ${valid}` });
}

/** Of a session without a token. */
const unlimited = { expiresAt: Infinity, isRevoked: () => false } as const;

/** Compares the key of a verified token and its account with the current key set. */
function revocationOf(token: string, { iat = 0, sub }: JWTPayload, keySet: RemoteKeySet | undefined): () => boolean {
  if (keySet === undefined) return unlimited.isRevoked;
  const { kid } = decodeProtectedHeader(token);
  const material = keySet.material(kid);
  return () => keySet.material(kid) !== material || iat < keySet.revokedBefore(sub);
}

/** The session of a verified token with the requested role, else with its default role. */
function choose(token: VerifiedToken, headers: RequestHeaders): Authentication {
  const requested = headerValue(headers, roleVariable);
  const role = requested === undefined || requested === "" ? token.defaultRole : requested;
  let session = token.sessions.get(role);
  if (session === undefined) {
    if (!token.allowedRoles.has(role)) {
      const message = "Your requested role is not in allowed roles";
      throw new EngineError({ code: "access-denied", status: 400, message });
    }
    session = createSession(role, token.variables, { client: token.client, credential: token.credential });
    token.sessions.set(role, session);
  }
  return { session, expiresAt: token.expiresAt, isRevoked: token.isRevoked };
}

/** The account, because one account may have many tokens. Tokens without an account share a client with their default role. */
function clientOf({ sub }: JWTPayload, { variables, defaultRole }: GrantedClaims): string {
  const account = sub ?? variables.get("x-hasura-user-id");
  return account === undefined ? `role ${defaultRole}` : `account ${account}`;
}

async function createVerification(
  options: AuthenticatorOptions,
  now: () => number,
  onChange: () => void,
): Promise<{ verify?: TokenVerifier; keySet?: RemoteKeySet }> {
  const { jwt: settings, lax = false, longestTokenLife: longestLife = 0 } = options;
  if (settings === undefined) return {};
  if (settings.jwk_url === undefined) {
    if (settings.key === undefined || settings.type === undefined)
      throw new Error("key and type, or jwk_url, must be given");
    return {
      verify: createTokenVerifier({
        settings,
        key: importStaticKey(settings.type, settings.key),
        lax,
        longestLife,
        now,
      }),
    };
  }
  const keySet = await createRemoteKeySet({
    url: settings.jwk_url,
    fetch: options.fetch ?? fetch,
    now,
    onChange,
    // Then every token from before the last fetch has expired: only forged ones could still be accepted.
    longestUse: lax || longestLife === 0 ? undefined : (longestLife + settings.allowed_skew) * 1000,
    onEvent: options.onKeySetEvent ?? (() => undefined),
    startTimeout: options.keySetStartTimeout,
  });
  return { verify: createTokenVerifier({ settings, key: keySet.getKey, lax, longestLife, now }), keySet };
}

function wrongAdminSecret(): EngineError {
  const message = 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"';
  return new EngineError({ code: "access-denied", status: 401, message });
}

function adminSecretNeeded(): EngineError {
  const message = "x-hasura-admin-secret/x-hasura-access-key required, but not found";
  return new EngineError({ code: "access-denied", status: 401, message });
}

function tokenNeeded(): EngineError {
  const message = "Missing 'Authorization' or 'Cookie' header in JWT authentication mode";
  return new EngineError({ code: "invalid-headers", message });
}

interface VerifiedToken extends GrantedClaims, Omit<Authentication, "session"> {
  /** {@link Session.client} of its sessions. */
  readonly client: string;
  /** {@link Session.credential} of its sessions. */
  readonly credential: string;
  /** Sessions already created from it, by role. */
  readonly sessions: Map<string, Session>;
}

interface TokenCache {
  get(token: string): VerifiedToken | undefined;
  set(token: string, verified: VerifiedToken): void;
  clear(): void;
}

/** Longer tokens are verified each time, because they would fill the cache. */
const longestToken = 8_192;

/** Caches a bounded number of verified tokens, never past their expiry. */
function createTokenCache(size: number, now: () => number): TokenCache {
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
