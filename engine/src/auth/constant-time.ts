import { hash, timingSafeEqual } from "node:crypto";

/** A constant-time comparison with a secret. It compares SHA-256 hashes, so its time depends on neither the secret's content nor its length. */
export function createSecretComparison(secret: string): (candidate: string) => boolean {
  const expected = hash("sha256", secret, "buffer");
  return (candidate) => timingSafeEqual(hash("sha256", candidate, "buffer"), expected);
}
