import { timingSafeEqual } from "node:crypto";

/** A comparison with one secret, in a time that depends neither on its content nor on what the candidate has in common with it. */
export function constantEquals(secret: string): (candidate: string) => boolean {
  const expected = Buffer.from(secret);
  const compared = Buffer.alloc(expected.length);
  return (candidate) => {
    // As much of the candidate as the secret is long: both sides of the comparison have to be.
    compared.fill(0).write(candidate);
    return timingSafeEqual(compared, expected) && Buffer.byteLength(candidate) === expected.length;
  };
}
