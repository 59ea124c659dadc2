import { hash, randomBytes, timingSafeEqual } from "node:crypto";

/** Goes before both, so that nobody outside knows what is compared. */
const salt = randomBytes(32).toString("base64url");

/** A comparison with one secret, in a time that depends on neither the content nor the length of what is compared. */
export function constantEquals(secret: string): (candidate: string) => boolean {
  const expected = digest(secret);
  return (candidate) => timingSafeEqual(digest(candidate), expected);
}

function digest(value: string): Buffer {
  return hash("sha256", `${salt}${value}`, "buffer");
}
