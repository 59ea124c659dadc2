import { createServer, type RequestListener, type Server } from "node:http";
import { answerBrokenRequest } from "./broken-request.ts";

/** Milliseconds. */
export interface Patience {
  /** Limit for a request's head. */
  readonly headersTimeout: number;
  /** Limit for a whole request. */
  readonly requestTimeout: number;
  /** Interval at which both limits are checked. */
  readonly connectionsCheckingInterval: number;
}

const patience: Patience = { headersTimeout: 10_000, requestTimeout: 15_000, connectionsCheckingInterval: 5_000 };

/** The server of the main port. Broken, oversized and slow requests are answered in the form of all errors. */
export function createHttpServer(application: RequestListener, limits: Patience = patience): Server {
  // Longer than the gateway keeps an idle connection, so that the gateway closes it first.
  const server = createServer({ ...limits, keepAliveTimeout: 75_000, maxHeaderSize: 16_384 }, application);
  server.on("clientError", answerBrokenRequest);
  return server;
}
