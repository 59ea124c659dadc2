import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Logger } from "pino";
import type { ConfigRoute } from "./config-route.ts";
import { corsHeaders, preflightHeaders, type CorsPolicy } from "./cors.ts";
import type { ExplainRoute } from "./explain-route.ts";
import { ClientLeft } from "./client-left.ts";
import type { WaitingBytes } from "../delivery/waiting-bytes.ts";
import type { GraphQLRoute } from "./graphql-route.ts";
import type { HealthCheck } from "./health.ts";
import type { MetadataRoute } from "./metadata-route.ts";
import { apiError, notFound, sendReply, type Reply } from "./reply.ts";
import { requestId } from "./request-id.ts";

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
  readonly waitingBytes: WaitingBytes;
}

/** Longer than a proxy keeps an idle connection, so that the engine never closes one that the proxy is about to use. */
const keepAliveTimeout = 75_000;

/** The engine's HTTP server; the caller listens and handles upgrades. */
export function createHttpServer(options: HttpServerOptions): Server {
  const { logger } = options;

  function route(request: IncomingMessage, response: ServerResponse, id: string): Reply | Promise<Reply> {
    const url = request.url ?? "/";
    const mark = url.indexOf("?");
    const path = mark === -1 ? url : url.slice(0, mark);
    if (request.method === "POST") {
      if (path === "/v1/graphql") return options.graphql?.(request, response, id, false) ?? notFound();
      if (path === "/v1alpha1/graphql") return options.graphql?.(request, response, id, true) ?? notFound();
      if (path === "/v1/graphql/explain" || path === "/v1alpha1/graphql/explain") return options.explain?.(request, id) ?? notFound();
      // Hasura's CLI also sends metadata commands to the older path.
      if (path === "/v1/metadata" || path === "/v1/query") return options.metadata?.(request, id) ?? notFound();
      return notFound();
    }
    if (request.method !== "GET" && request.method !== "HEAD") return notFound();
    if (path === "/healthz" || path === "/hasura/healthz") {
      return options.health(new URLSearchParams(mark === -1 ? "" : url.slice(mark)).get("strict") === "true");
    }
    if (path === "/v1/graphql" && request.method === "GET") return options.graphql?.(request, response, id, false) ?? notFound();
    if (path === "/v1/version") return { status: 200, text: JSON.stringify({ version: options.version, server_type: "ce" }) };
    if (path === "/v1alpha1/config") return options.config?.(request, id) ?? notFound();
    return notFound();
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const id = requestId(request.headers);
    const start = performance.now();
    const crossOrigin = corsHeaders(options.cors, request.headers);
    if (crossOrigin !== undefined) {
      for (const [name, value] of Object.entries(crossOrigin)) response.setHeader(name, value);
      if (request.method === "OPTIONS") {
        response.writeHead(204, preflightHeaders(request.headers)).end();
        return;
      }
    }
    let reply: Reply;
    try {
      reply = await route(request, response, id);
    } catch (error) {
      if (error instanceof ClientLeft) {
        logger.debug({ requestId: id }, "the client left before the answer");
        return;
      }
      logger.error({ requestId: id, error: error instanceof Error ? error.name : "unknown" }, "a route failed unexpectedly");
      reply = apiError(500, "unexpected", "internal error");
    }
    if (options.isStopping()) response.setHeader("connection", "close");
    await sendReply(response, request.headers, id, reply, options.waitingBytes);
    if (logger.isLevelEnabled("debug")) {
      const milliseconds = Math.round((performance.now() - start) * 10) / 10;
      const { method } = request;
      logger.debug(
        { requestId: id, method, path: request.url?.split("?")[0], status: reply.status, milliseconds },
        "request answered",
      );
    }
  }

  const server = createServer({ requestTimeout: 30_000, headersTimeout: 15_000, keepAliveTimeout }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      logger.error({ error: error instanceof Error ? error.name : "unknown" }, "an answer could not be sent");
      response.destroy();
    });
  });
  server.maxRequestsPerSocket = 0;
  return server;
}
