import { hash, timingSafeEqual } from "node:crypto";

/**
 * A comparison with one secret whose time depends on neither the secret's content nor its length:
 * both sides are compared by their SHA-256.
 */
export function createSecretComparison(secret: string): (candidate: string) => boolean {
  const expected = hash("sha256", secret, "buffer");
  return (candidate) => timingSafeEqual(hash("sha256", candidate, "buffer"), expected);
}
