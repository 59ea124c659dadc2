import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { traceIdOf } from "@routeql/contract/trace-context";
import type { Span, Tracing } from "@routeql/tracing/span";
import type { Logger } from "pino";
import type { ConfigRoute, ExplainRoute, MetadataRoute } from "./admin-routes.ts";
import { corsHeaders, preflightHeaders, type CorsPolicy } from "./cors.ts";
import { ClientLeft } from "../cancellation.ts";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";
import type { GraphQLRoute } from "./graphql-route.ts";
import type { HealthCheck } from "./health.ts";
import { quietRoutes, requestId, type RequestLog } from "./request-log.ts";
import { apiError, notFound, sendReply, type Reply } from "./reply.ts";

export interface HttpServerOptions {
  /** Absent when HASURA_GRAPHQL_ENABLED_APIS does not list `graphql`. */
  readonly graphql?: GraphQLRoute | undefined;
  readonly explain?: ExplainRoute | undefined;
  /** Absent when it does not list `metadata`. */
  readonly metadata?: MetadataRoute | undefined;
  /** Absent when it does not list `config`. */
  readonly config?: ConfigRoute | undefined;
  /** Absent when no other origin may read replies. */
  readonly cors?: CorsPolicy | undefined;
  readonly health: HealthCheck;
  /** The content of `/v1/version`. */
  readonly version: string;
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

/** Paths that the log names; any other text of a client stays out of it. */
const routes: ReadonlySet<string> = new Set([
  "/v1/graphql",
  "/v1alpha1/graphql",
  "/v1/graphql/explain",
  "/v1alpha1/graphql/explain",
  "/v1/metadata",
  "/v1/query",
  "/healthz",
  "/hasura/healthz",
  "/v1/version",
  "/v1alpha1/config",
]);

function pathOf(url = "/"): string {
  const mark = url.indexOf("?");
  return mark === -1 ? url : url.slice(0, mark);
}

/** Health checks and unknown paths have no span. */
function spanOf(tracing: Tracing, { method = "", url, headers }: IncomingMessage, requestId: string): Span | undefined {
  const path = pathOf(url);
  if (!routes.has(path) || quietRoutes.has(path)) return undefined;
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
  const { logger, logRequest, tracing } = options;

  function route(
    request: IncomingMessage,
    response: ServerResponse,
    id: string,
    span: Span | undefined,
  ): Reply | Promise<Reply> {
    const url = request.url ?? "/";
    const mark = url.indexOf("?");
    const path = pathOf(url);
    if (request.method === "POST") {
      if (path === "/v1/graphql") return options.graphql?.(request, response, id, { span }) ?? notFound();
      if (path === "/v1alpha1/graphql")
        return options.graphql?.(request, response, id, { keepsStatus: true, span }) ?? notFound();
      if (path === "/v1/graphql/explain" || path === "/v1alpha1/graphql/explain")
        return options.explain?.(request, id) ?? notFound();
      // Hasura's CLI also sends metadata commands to the older path.
      if (path === "/v1/metadata" || path === "/v1/query") return options.metadata?.(request, id) ?? notFound();
      return notFound();
    }
    if (request.method !== "GET" && request.method !== "HEAD") return notFound();
    if (path === "/healthz" || path === "/hasura/healthz") {
      return options.health(new URLSearchParams(mark === -1 ? "" : url.slice(mark)).get("strict") === "true");
    }
    if (path === "/v1/graphql" && request.method === "GET")
      return options.graphql?.(request, response, id, { span }) ?? notFound();
    if (path === "/v1/version")
      return { status: 200, text: JSON.stringify({ version: options.version, server_type: "ce" }) };
    if (path === "/v1alpha1/config") return options.config?.(request, id) ?? notFound();
    return notFound();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = requestId(request.headers);
    const span = tracing === undefined ? undefined : spanOf(tracing, request, id);
    const traceId = span?.traceId ?? traceIdOf(request.headers["traceparent"], id);
    const start = performance.now();
    const log = (status: number, reply?: Reply): void => {
      const path = pathOf(request.url);
      const route = routes.has(path) ? path : "other";
      if (span !== undefined) endSpan(span, status, reply);
      logRequest({
        requestId: id,
        traceId,
        method: request.method ?? "",
        route,
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
      reply = await route(request, response, id, span);
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
