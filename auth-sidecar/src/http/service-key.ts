import { timingSafeEqual } from "node:crypto";
import type { RequestHandler } from "express";
import { WrongServiceKey } from "../errors.ts";

/** Requires the operator's key in x-service-api-key. */
export function serviceKey(expected: string): RequestHandler {
  const isExpected = constantEquals(expected);
  return (request, _response, next) => {
    const presented = request.headers["x-service-api-key"];
    if (typeof presented !== "string" || !isExpected(presented)) throw new WrongServiceKey();
    next();
  };
}

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
