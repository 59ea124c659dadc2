import type { RequestHandler } from "express";
import { constantEquals } from "../constant-equals.ts";
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
