import type { RequestHandler, Response } from "express";
import { clientAddress } from "./client-address.ts";
import { requestId } from "./request-id.ts";

/** Data about the request for its handler. */
export interface RequestContext {
  readonly requestId: string;
  /** IP address of the client, as the gateway gives it. */
  readonly address: string;
  /** Arrival time in `process.hrtime`-like milliseconds. */
  readonly startedAt: number;
}

/** Creates the context and sets the request id and the common headers of the answer. */
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
