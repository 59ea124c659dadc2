import { timingSafeEqual } from "node:crypto";

/** Compares with a secret in a time that depends neither on its content nor on a common prefix. */
export function constantEquals(secret: string): (candidate: string) => boolean {
  const expected = Buffer.from(secret);
  const compared = Buffer.alloc(expected.length);
  return (candidate) => {
    // The comparison needs equal lengths, so the candidate is cut or padded to the secret's.
    compared.fill(0).write(candidate);
    return timingSafeEqual(compared, expected) && Buffer.byteLength(candidate) === expected.length;
  };
}
