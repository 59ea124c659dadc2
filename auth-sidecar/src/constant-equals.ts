import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const key = randomBytes(32);

/** Compares two strings in a time that depends on neither their content nor their length's match. */
export function constantEquals(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right));
}

function digest(value: string): Buffer {
  return createHmac("sha256", key).update(value).digest();
}
