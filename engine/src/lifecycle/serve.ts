import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import type { Logger } from "pino";
import { stopServer } from "@routeql/contract/stop-server";
import { startTracing } from "@routeql/tracing/tracing";
import { createAuthenticator, type Authenticator } from "../auth/authenticator.ts";
import type { Executor, ExecutorEvents } from "../executor.ts";
import { createAdmission, type Front } from "../http/graphql-execution.ts";
import { createConfigRoute } from "../http/admin-routes.ts";
import { createGraphQLRoute } from "../http/graphql-route.ts";
import { createHealthCheck, type HealthCheck } from "../http/health.ts";
import { createHttpServer, type HttpServerOptions, type Route } from "../http/server.ts";
import { Turns } from "../cost/turns.ts";
import { WaitingBytes } from "../cost/waiting-bytes.ts";
import type { Administration } from "../metadata-api/routes.ts";
import { closes } from "../websocket/server-message.ts";
import { createWebSocketEndpoint } from "../websocket/server.ts";
import { configurationOf, engineVersion } from "../settings/configuration.ts";
import { createErrorLog, createRequestLog } from "../http/request-log.ts";
import { createMetrics, createMetricsServer } from "../metrics.ts";
import type { Settings } from "../settings/settings.ts";

export interface Served {
  readonly port: number;
  readonly metricsPort: number;
  /** Closes every WebSocket as Hasura does when the metadata changes: clients reconnect and receive the new schema. */
  restartConnections(): void;
  /** Stops accepting connections, answers running requests and those on open connections within the graceful timeout, and closes the executor. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly settings: Settings;
  readonly createExecutor: (events: ExecutorEvents) => Executor;
  /** For the administration APIs and the health check. Closed before the executor is. */
  readonly administration?: Administration | undefined;
  readonly authenticator: Authenticator;
  readonly logger: Logger;
  readonly now?: () => number;
  /** Milliseconds for which idle connections still serve requests after {@link Served.stop}. */
  readonly quiet?: number | undefined;
}

/** Above `congested` unsent bytes, live answers wait for the client; above `overflow` the connection is closed. */
const outboxLimits = { congested: 1_048_576, overflow: 16_777_216 };

/** Time in milliseconds after which a WebSocket client that reads nothing is disconnected. */
const socketPatience = 60_000;

/** Time in milliseconds for clients to answer a close frame. */
const closeHandshakeGrace = 1_000;

/** Creates the authenticator of the settings. @throws Error when its key is invalid or cannot be fetched. */
export function authenticatorOf(settings: Settings, logger: Logger, now?: () => number): Promise<Authenticator> {
  return createAuthenticator({
    now,
    adminSecret: {
      current: settings.adminSecret,
      previous: settings.previousAdminSecret,
      previousUntil: settings.previousAdminSecretUntil,
    },
    adminSecretHeaders: settings.adminSecretHeaders,
    sessionVariables: settings.sessionVariables,
    jwt: settings.jwt,
    unauthorizedRole: settings.unauthorizedRole,
    lax: settings.jwtLax,
    longestTokenLife: settings.maxTokenLife,
    keySetStartTimeout: settings.startTimeout * 1_000,
    onKeySetEvent: (event) => {
      if (event.type === "failed") logger.warn({ reason: event.message }, "fetching the token keys failed");
      else {
        const { keys, unusable, nextInMilliseconds } = event;
        logger.debug({ keys, unusable, nextInMilliseconds }, "token keys fetched");
      }
    },
  });
}

/** Serves an executor: HTTP, WebSockets and metrics. Resolves once both ports listen. */
export async function serve({
  settings,
  createExecutor,
  administration,
  authenticator,
  logger,
  now = Date.now,
  quiet,
}: ServeOptions): Promise<Served> {
  const metrics = createMetrics();
  const tracing = await startTracing({
    service: "routeql-engine",
    version: engineVersion,
    endpoint: settings.traceEndpoint,
    percent: settings.tracePercent,
    onEvent: (event) => {
      if (event.type === "failed")
        logger.warn({ reason: event.reason }, "the collector of traces does not answer; traces are lost");
      else logger.info("the collector of traces answers again");
    },
  });
  const cors = settings.disableCors ? undefined : settings.cors;
  const logError = createErrorLog(logger);
  const logRequest = createRequestLog(logger);
  const executor = createExecutor({
    onPoll: (seconds) => metrics.poll(seconds),
    onError: (error) => {
      logError(error, { requestId: "poll" });
      if (error.reason !== undefined) metrics.unavailable(error.reason);
    },
    onMissed: () => metrics.missed(),
  });
  const waitingBytes = new WaitingBytes({ limit: settings.maxWaitingBytes, patience: socketPatience });
  const front: Front = {
    authenticator,
    executor,
    admission: createAdmission(settings.maxInFlight),
    metrics,
    turns: new Turns(),
    waitingBytes,
    logError,
    internalDetail: { forAdmin: settings.adminInternalErrors, forAll: settings.devMode },
  };
  const webSockets = createWebSocketEndpoint({
    ...front,
    tracing,
    logRequest,
    now,
    outboxLimits,
    initTimeout: settings.connectionInitTimeout * 1_000,
    keepAlive: settings.keepAlive * 1_000,
    operationLimit: settings.maxOperationsPerConnection,
    connectionLimit: settings.maxConnections,
    messageLimit: settings.bodyLimit,
    compression: settings.connectionCompression,
    readCookiesOfOtherOrigins: settings.readCookiesOfOtherOrigins,
    cors,
  });
  authenticator.onPreviousSecret((address) => metrics.previousKey(address));
  authenticator.onRevocation(() => webSockets.closeRevoked());
  let isStopping = false;
  const metadata = administration?.metadata;
  const health = createHealthCheck({ executor, metadata, isStopping: () => isStopping });
  const http = createHttpServer({
    routes: routesOf(settings, front, administration, health),
    cors,
    isStopping: () => isStopping,
    logger,
    logRequest,
    tracing,
    waitingBytes,
  });
  http.on("connection", () => front.turns.connected());
  if (settings.enabledApis.includes("graphql"))
    http.on("upgrade", (request, socket, head) => webSockets.upgrade(request, socket, head));
  metrics.observe({
    executor: () => executor.statistics(),
    connections: () => webSockets.connections,
    metadata: metadata && (() => metadata),
    inFlight: () => front.admission.inFlight,
    isAnswering: async () => (await health(false)).status === 200,
  });
  const metricsServer = createMetricsServer(metrics.registry);
  // Returns the memory that only the start needed, 15 MB, before the first request. The image exposes the collector.
  globalThis.gc?.({ execution: "sync", type: "major", flavor: "last-resort" });
  const port = await listen(http, settings.port, settings.host);
  const metricsPort = await listen(metricsServer, settings.metricsPort, settings.host);

  async function stop(): Promise<void> {
    isStopping = true;
    webSockets.refuseNew();
    webSockets.closeAll(closes.shuttingDown);
    // The server closes only after its sockets: a client that does not answer the close frame must not delay it.
    const terminating = setTimeout(() => webSockets.terminateAll(), closeHandshakeGrace);
    await stopServer(http, settings.gracefulShutdownTimeout * 1_000, quiet);
    clearTimeout(terminating);
    waitingBytes.stop();
    authenticator.close();
    await metadata?.close();
    await Promise.all([executor.close(), tracing?.stop()]);
    await stopServer(metricsServer, 0);
  }

  let stopped: Promise<void> | undefined;
  return {
    port,
    metricsPort,
    restartConnections: () => webSockets.closeAll(closes.serverStateChanged),
    stop: () => (stopped ??= stop()),
  };
}

function routesOf(
  settings: Settings,
  front: Front,
  administration: Administration | undefined,
  health: HealthCheck,
): HttpServerOptions["routes"] {
  const { bodyLimit, batchLimit, preserve401: preserves401, maxAnswerBytes: answerLimit } = settings;
  const serves = (api: Settings["enabledApis"][number]): boolean => settings.enabledApis.includes(api);
  const graphql = (keepsStatus: boolean): Route | undefined =>
    serves("graphql")
      ? createGraphQLRoute(front, { bodyLimit, batchLimit, answerLimit, preserves401, keepsStatus })
      : undefined;
  const check: Route = ({ url = "" }) => health(/[?&]strict=true(?:&|$)/.test(url));
  const version = JSON.stringify({ version: engineVersion, server_type: "ce" });
  const read = {
    "/healthz": check,
    "/hasura/healthz": check,
    "/v1/version": () => ({ status: 200, text: version }),
    "/v1alpha1/config": serves("config") ? createConfigRoute(configurationOf(settings), front) : undefined,
  };
  return {
    "POST /v1/graphql": graphql(false),
    "GET /v1/graphql": graphql(false),
    "POST /v1alpha1/graphql": graphql(true),
    ...Object.fromEntries(
      Object.entries(read).flatMap(([path, route]) => ["GET", "HEAD"].map((method) => [`${method} ${path}`, route])),
    ),
    ...(serves("metadata") ? administration?.routes(front, bodyLimit) : {}),
  };
}

function listen(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host === "*" ? undefined : host, () => {
      server.off("error", reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}
