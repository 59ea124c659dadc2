import { errors } from "jose";
import { EngineError } from "../errors.ts";

function unverified(reason: string): EngineError {
  return new EngineError({ code: "invalid-jwt", message: `Could not verify JWT: ${reason}` });
}

const tokenExpired = "JWTExpired";

/** Hasura's message for a problem of a token; undefined for failures without a fault of the token. */
export function tokenError(error: unknown): EngineError | undefined {
  if (error instanceof errors.JWTExpired) return unverified(tokenExpired);
  if (error instanceof errors.JWTClaimValidationFailed) return unverified(claimReason(error));
  if (error instanceof errors.JOSEAlgNotAllowed) return unverified("JWSError AlgorithmNotAllowed");
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) return unverified("JWSError JSONDecodeError");
  // A signature by an unknown or failing key. Every other error of jose gets the same message.
  if (error instanceof errors.JOSEError) return unverified("JWSError JWSInvalidSignature");
  return undefined;
}

/** A token that is not three dot-separated parts. */
export function malformedToken(parts: number): EngineError {
  return unverified(`JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got ${String(parts)})`);
}

export function issuedInFuture(): EngineError {
  return unverified("JWTIssuedAtFuture");
}

function claimReason(error: errors.JWTClaimValidationFailed): string {
  if (error.reason === "missing") return `claim ${error.claim} is missing`;
  const reasons: Record<string, string> = { aud: "JWTNotInAudience", iss: "JWTNotInIssuer", nbf: "JWTNotYetValid" };
  return error.reason === "invalid"
    ? `claim ${error.claim} is malformed`
    : (reasons[error.claim] ?? `claim ${error.claim} is not accepted`);
}
