import { createHash, createHmac, pbkdf2Sync, randomBytes, timingSafeEqual } from "node:crypto";

const ITERATIONS = 4096;

/**
 * The verifier that Postgres stores for a password, `SCRAM-SHA-256$<iterations>:<salt>$<stored key>:<server key>` (RFC 5802,
 * RFC 7677).
 * With `alter role … password` it keeps the password out of every statement and log.
 */
export function scramVerifier(
  password: string,
  salt: Buffer = randomBytes(16),
  iterations: number = ITERATIONS,
): string {
  const salted = pbkdf2Sync(password, salt, iterations, 32, "sha256");
  const storedKey = createHash("sha256").update(hmac(salted, "Client Key")).digest("base64");
  const serverKey = hmac(salted, "Server Key").toString("base64");
  return `SCRAM-SHA-256$${iterations}:${salt.toString("base64")}$${storedKey}:${serverKey}`;
}

/** Whether a stored verifier belongs to the password; false for another format. */
export function matchesVerifier(password: string, verifier: string | null): boolean {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d{1,7}):([A-Za-z0-9+/=]+)\$[^$]+$/.exec(verifier ?? "") ?? [];
  if (verifier === null || iterations === undefined || salt === undefined) return false;
  const expected = Buffer.from(scramVerifier(password, Buffer.from(salt, "base64"), Number(iterations)));
  const actual = Buffer.from(verifier);
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
