import type { RequestHandler } from "express";
import { SidecarError } from "../errors.ts";

/** Refuses every method but these; HEAD and OPTIONS too, as no endpoint has a use for them. */
export function allowedMethods(methods: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!methods.includes(request.method)) throw new SidecarError("method-not-allowed", { allow: methods });
    next();
  };
}
