import { createServer, type RequestListener, type Server } from "node:http";
import { answerBrokenRequest } from "./broken-request.ts";

/** Milliseconds. */
export interface Patience {
  /** Until a request's head is whole. */
  readonly headersTimeout: number;
  /** Until a request is whole. */
  readonly requestTimeout: number;
  /** How often both are looked at. */
  readonly connectionsCheckingInterval: number;
}

const patience: Patience = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** The server of the main port. What is broken, too large or too slow is answered in the form of all errors. */
export function createHttpServer(application: RequestListener, limits: Patience = patience): Server {
  // Longer than the gateway keeps an idle connection, so that it is never the one to find it closed.
  const server = createServer({ ...limits, keepAliveTimeout: 75_000, maxHeaderSize: 16_384 }, application);
  server.on("clientError", answerBrokenRequest);
  return server;
}
