import type { KeyObject } from "node:crypto";
import { decodeJwt, errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from "jose";
import type { JwtSettings, KeyType } from "./jwt-settings.ts";
import { EngineError } from "../errors.ts";

function unverified(reason: string): EngineError {
  return new EngineError({ code: "invalid-jwt", message: `Could not verify JWT: ${reason}` });
}

const tokenExpired = "JWTExpired";

/** Hasura's message for a problem of a token; undefined for failures without a fault of the token. */
function tokenError(error: unknown): EngineError | undefined {
  if (error instanceof errors.JWTExpired) return unverified(tokenExpired);
  if (error instanceof errors.JWTClaimValidationFailed) return unverified(claimReason(error));
  if (error instanceof errors.JOSEAlgNotAllowed) return unverified("JWSError AlgorithmNotAllowed");
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid)
    return unverified("JWSError JSONDecodeError");
  // A signature by an unknown or failing key. Every other error of jose gets the same message.
  if (error instanceof errors.JOSEError) return unverified("JWSError JWSInvalidSignature");
  return undefined;
}

/** A token that is not three dot-separated parts. */
function malformedToken(parts: number): EngineError {
  return unverified(`JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got ${String(parts)})`);
}

function issuedInFuture(): EngineError {
  return unverified("JWTIssuedAtFuture");
}

/** The claims that are texts, or null as in Hasura. */
const textClaims = ["iss", "sub", "jti"] as const;

function malformedClaim(payload: JWTPayload): EngineError | undefined {
  const claim = textClaims.find(
    (name) => payload[name] !== null && !["string", "undefined"].includes(typeof payload[name]),
  );
  return claim === undefined ? undefined : unverified(`claim ${claim} is malformed`);
}

function livesTooLong(limit: number): EngineError {
  return unverified(
    `the time from iat to exp is longer than ${String(limit)} s (ENGINE_MAX_TOKEN_LIFE, in a stack TOKEN_LIFE_SECONDS)`,
  );
}

/** A token whose account lost rights after its issue. The client needs a new one. */
export function revokedToken(): EngineError {
  return unverified("JWTRevoked");
}

function claimReason(error: errors.JWTClaimValidationFailed): string {
  if (error.reason === "missing") return `claim ${error.claim} is missing`;
  const reasons: Record<string, string> = { aud: "JWTNotInAudience", iss: "JWTNotInIssuer", nbf: "JWTNotYetValid" };
  return error.reason === "invalid"
    ? `claim ${error.claim} is malformed`
    : (reasons[error.claim] ?? `claim ${error.claim} is not accepted`);
}

export interface TokenVerifierOptions {
  readonly settings: JwtSettings;
  readonly key: KeyObject | JWTVerifyGetKey;
  /** As lax as Hasura: iss, aud and exp are checked only if the token has them, and a token may live for any time. */
  readonly lax: boolean;
  /** Longest time from iat to exp that is accepted, in seconds; 0 = any time. */
  readonly longestLife: number;
  readonly now: () => number;
}

/** Verifies a compact JWS and its registered claims. @throws EngineError `invalid-jwt`. */
export type TokenVerifier = (token: string) => Promise<JWTPayload>;

/** A key set never contains shared secrets, so a public key cannot be used as one (RFC 8725 section 2.1). */
const keySetAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

export function createTokenVerifier({ settings, key, lax, longestLife, now }: TokenVerifierOptions): TokenVerifier {
  const boundsLife = !lax && longestLife > 0;
  const algorithms =
    settings.type === undefined || settings.jwk_url !== undefined ? keySetAlgorithms : algorithmsOf(settings.type);
  const getKey: JWTVerifyGetKey = typeof key === "function" ? key : () => key;

  function options(token: string): JWTVerifyOptions {
    const present = lax ? decodeJwt(token) : undefined;
    return {
      algorithms,
      clockTolerance: settings.allowed_skew,
      currentDate: new Date(now()),
      issuer: lax && present?.iss === undefined ? undefined : settings.issuer,
      audience: lax && present?.aud === undefined ? undefined : settings.audience,
      requiredClaims: [...(lax ? [] : ["exp"]), ...(boundsLife ? ["iat"] : [])],
    };
  }

  return async (token) => {
    const parts = token.split(".").length;
    if (parts !== 3) throw malformedToken(parts);
    try {
      const { payload } = await verifyWithAny(token, getKey, options(token));
      const malformed = malformedClaim(payload);
      if (malformed !== undefined) throw malformed;
      if (payload.iat !== undefined && payload.iat * 1000 > now() + settings.allowed_skew * 1000)
        throw issuedInFuture();
      const { exp = Infinity, iat = 0 } = payload;
      if (boundsLife && exp - iat > longestLife + settings.allowed_skew) throw livesTooLong(longestLife);
      return payload;
    } catch (error) {
      throw tokenError(error) ?? error;
    }
  };
}

async function verifyWithAny(
  token: string,
  getKey: JWTVerifyGetKey,
  options: JWTVerifyOptions,
): Promise<{ payload: JWTPayload }> {
  try {
    return await jwtVerify(token, getKey, options);
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const candidate of error) {
      try {
        return await jwtVerify(token, candidate, options);
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

function algorithmsOf(type: KeyType): string[] {
  return type === "Ed25519" ? ["EdDSA", "Ed25519"] : [type];
}
