import type { RequestHandler, Response } from "express";
import { clientAddress } from "./client-address.ts";
import { requestId } from "./request-id.ts";

/** What every handler may know of the request it answers. */
export interface RequestContext {
  readonly requestId: string;
  /** IP address of the client, as the gateway gives it. */
  readonly address: string;
  /** `process.hrtime`-like milliseconds at which the request came. */
  readonly startedAt: number;
}

/** Makes the context, and puts the request's id and the headers that every answer has on the answer. */
export const requestContext: RequestHandler = (request, response, next) => {
  const id = requestId(request.headers["x-request-id"]);
  response.locals["context"] = {
    requestId: id,
    address: clientAddress(request.headers["x-forwarded-for"], request.socket.remoteAddress),
    startedAt: performance.now(),
  } satisfies RequestContext;
  response.setHeader("X-Request-ID", id);
  response.setHeader("Cache-Control", "no-store");
  response.setHeader("X-Content-Type-Options", "nosniff");
  next();
};

export function contextOf(response: Response): RequestContext {
  const context = response.locals["context"] as RequestContext | undefined;
  if (context === undefined) throw new Error("the request has no context yet");
  return context;
}
