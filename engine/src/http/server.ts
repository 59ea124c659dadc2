import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { traceIdOf } from "@routeql/contract/trace-context";
import type { Span, Tracing } from "@routeql/tracing/span";
import type { Logger } from "pino";
import { corsHeaders, preflightHeaders, type CorsPolicy } from "./cors.ts";
import { ClientLeft } from "../cancellation.ts";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";
import { createServer } from "../node-http.ts";
import { quietRoutes, requestId, type RequestLog } from "./request-log.ts";
import { apiError, notFound, sendReply, type Reply } from "./reply.ts";

/** Values of the server that a route may need besides the request. */
export interface Exchange {
  readonly response: ServerResponse;
  /** Absent when the request is not traced. */
  readonly span: Span | undefined;
}

/** @throws any error; it becomes a reply with status 500 */
export type Route = (request: IncomingMessage, id: string, exchange: Exchange) => Reply | Promise<Reply>;

export interface HttpServerOptions {
  /** By method and path; undefined for an API that HASURA_GRAPHQL_ENABLED_APIS does not list. */
  readonly routes: Readonly<Record<string, Route | undefined>>;
  /** Absent when no other origin may read replies. */
  readonly cors?: CorsPolicy | undefined;
  /** Afterwards every connection is closed after its reply. */
  readonly isStopping: () => boolean;
  readonly logger: Logger;
  readonly logRequest: RequestLog;
  /** Absent when no request is traced. */
  readonly tracing?: Tracing | undefined;
  readonly waitingBytes: WaitingBytes;
}

/** Longer than a proxy keeps an idle connection, so that the engine never closes one that the proxy is about to use. */
const keepAliveTimeout = 75_000;

/** nginx's status in the log for a client that closed the connection before the answer. */
const clientLeft = 499;

function pathOf(url = "/"): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

function startSpan(
  tracing: Tracing,
  { method = "", headers }: IncomingMessage,
  path: string,
  requestId: string,
): Span | undefined {
  const attributes = { "http.request.method": method, "http.route": path, "url.path": path, "url.scheme": "http" };
  return tracing.start(`${method} ${path}`, { traceparent: headers["traceparent"], requestId }, attributes);
}

function endSpan(span: Span, status: number, reply: Reply | undefined): void {
  span.set({
    "http.response.status_code": status,
    "routeql.role": reply?.role,
    "routeql.errors": reply?.errors?.join(","),
  });
  if (status >= 500) span.fail(reply?.errors?.[0] ?? String(status));
  span.end();
}

/** The engine's HTTP server; the caller listens and handles upgrades. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { routes, logger, logRequest, tracing } = options;
  /** Paths that the log names; any other text of a client stays out of it. */
  const paths = new Set(Object.keys(routes).map((route) => route.slice(route.indexOf(" ") + 1)));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = requestId(request.headers);
    const path = pathOf(request.url);
    const isTraced = tracing !== undefined && paths.has(path) && !quietRoutes.has(path);
    const span = isTraced ? startSpan(tracing, request, path, id) : undefined;
    const traceId = span?.traceId ?? traceIdOf(request.headers["traceparent"], id);
    const start = performance.now();
    const log = (status: number, reply?: Reply): void => {
      if (span !== undefined) endSpan(span, status, reply);
      logRequest({
        requestId: id,
        traceId,
        method: request.method ?? "",
        route: paths.has(path) ? path : "other",
        status,
        milliseconds: performance.now() - start,
        role: reply?.role,
        errors: reply?.errors,
      });
    };
    const crossOrigin = corsHeaders(options.cors, request.headers);
    if (crossOrigin !== undefined) {
      for (const [name, value] of Object.entries(crossOrigin)) response.setHeader(name, value);
      if (request.method === "OPTIONS") {
        response.writeHead(204, preflightHeaders(request.headers)).end();
        log(204);
        return;
      }
    }
    let reply: Reply;
    try {
      const route = routes[`${request.method ?? ""} ${path}`];
      reply = (await route?.(request, id, { response, span })) ?? notFound();
    } catch (error) {
      if (error instanceof ClientLeft) {
        log(clientLeft);
        return;
      }
      logger.error(
        { requestId: id, error: error instanceof Error ? error.name : "unknown" },
        "a route failed unexpectedly",
      );
      reply = apiError(500, "unexpected", "internal error");
    }
    if (options.isStopping()) response.setHeader("connection", "close");
    await sendReply(response, request.headers, id, reply, options.waitingBytes);
    log(reply.status, reply);
  }

  const server = createServer(
    { requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout },
    (request, response) => {
      handle(request, response).catch((error: unknown) => {
        logger.error({ error: error instanceof Error ? error.name : "unknown" }, "an answer could not be sent");
        response.destroy();
      });
    },
  );
  server.maxRequestsPerSocket = 0;
  return server;
}
