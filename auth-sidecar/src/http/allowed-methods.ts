import type { RequestHandler } from "express";
import { SidecarError } from "../errors.ts";

/** Rejects every other method, including HEAD and OPTIONS, which no endpoint needs. */
export function allowedMethods(methods: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!methods.includes(request.method)) throw new SidecarError("method-not-allowed", { allow: methods });
    next();
  };
}
