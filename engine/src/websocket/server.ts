import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { traceIdOf } from "@routeql/contract/trace-context";
import { codeWithReason, errorsHeader, type UnavailableReason } from "@routeql/contract/unavailable";
import { WebSocketServer } from "ws";
import { forwardedFor, headerValue, type RequestHeaders } from "../auth/request-headers.ts";
import type { CorsPolicy } from "../http/cors.ts";
import { requestId, type RequestLog } from "../http/request-log.ts";
import { STATUS_CODES } from "../node-http.ts";
import { type Close, dialectOf, legacyDialect, transportDialect } from "./server-message.ts";
import { Connection, type ConnectionContext } from "./connection.ts";

export interface WebSocketOptions extends ConnectionContext {
  readonly logRequest: RequestLog;
  readonly connectionLimit: number;
  /** Maximum size of one message in bytes. */
  readonly messageLimit: number;
  /** permessage-deflate (RFC 7692). */
  readonly compression: boolean;
  /** Accept tokens from cookies even when the page that opened the socket has another origin. */
  readonly readCookiesOfOtherOrigins: boolean;
  /** Other origins whose pages may connect; absent: all of them, without their cookies. */
  readonly cors: CorsPolicy | undefined;
}

export interface WebSocketEndpoint {
  /** The caller passes every upgrade request. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  readonly connections: number;
  closeAll(close: Close): void;
  /** Closes the connections whose token is no longer accepted. */
  closeRevoked(): void;
  refuseNew(): void;
  terminateAll(): void;
}

const paths = new Set(["/v1/graphql", "/v1alpha1/graphql"]);

/** GraphQL over WebSocket on the paths of the HTTP endpoint, in both protocols. */
export function createWebSocketEndpoint(options: WebSocketOptions): WebSocketEndpoint {
  const connections = new Set<Connection>();
  let isRefusing = false;
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: options.messageLimit,
    // ws' own answers would pile up for a client that sends pings and reads nothing.
    autoPong: false,
    perMessageDeflate: options.compression ? { threshold: 1_024 } : false,
    handleProtocols: (offered) =>
      [transportDialect.protocol, legacyDialect.protocol].find((protocol) => offered.has(protocol)) ?? false,
  });

  return {
    upgrade(request, socket, head) {
      const path = request.url?.split("?", 1)[0] ?? "";
      if (!paths.has(path)) return refuse(socket, 404, pathError);
      const unavailable = (reason: UnavailableReason, body: string, retryAfter: string): void => {
        options.metrics.unavailable(reason);
        refuse(socket, 503, body, [`Retry-After: ${retryAfter}`, `${errorsHeader}: ${codeWithReason("busy", reason)}`]);
      };
      if (isRefusing) return unavailable("stopping", "Server is shutting down", "0");
      if (connections.size >= options.connectionLimit) return unavailable("connections", "too many connections", "5");
      if (!mayConnect(request, options.cors)) return refuse(socket, 400, originError);
      const headers = trustedHeaders(request, options);
      const { traceparent } = request.headers;
      const identity = {
        requestId: requestId(request.headers),
        address: headerValue(request.headers, forwardedFor),
        hasLegacyErrors: path === "/v1alpha1/graphql",
        traceparent,
      };
      const traceId = traceIdOf(traceparent, identity.requestId);
      server.handleUpgrade(request, socket, head, (webSocket) => {
        const connection = new Connection(webSocket, socket, dialectOf(webSocket.protocol), headers, identity, options);
        const began = performance.now();
        connections.add(connection);
        socket.on("data", (chunk: Buffer) => connection.received(chunk.length));
        webSocket.on("close", () => {
          connections.delete(connection);
          const milliseconds = performance.now() - began;
          options.logRequest({
            requestId: identity.requestId,
            traceId,
            method: "GET",
            route: path,
            status: 101,
            milliseconds,
            ...connection.record,
          });
        });
      });
    },
    get connections() {
      return connections.size;
    },
    closeAll(close) {
      for (const connection of connections) connection.close(close);
    },
    closeRevoked() {
      for (const connection of connections) connection.closeIfRevoked();
    },
    refuseNew() {
      isRefusing = true;
    },
    terminateAll() {
      for (const connection of connections) connection.terminate();
    },
  };
}

const pathError = JSON.stringify({
  errors: [
    {
      message: "only '/v1/graphql' and '/v1alpha1/graphql' are supported on websockets",
      extensions: { path: "$", code: "not-found" },
    },
  ],
});

const originError = JSON.stringify({
  path: "$",
  error: "received origin header does not match configured CORS domains",
  code: "access-denied",
});

function isSameOrigin({ headers: { origin, host } }: IncomingMessage): boolean {
  return origin === undefined || URL.parse(origin)?.host === host;
}

/** Browsers let pages of every origin open sockets, so the server must check the origin. */
function mayConnect(request: IncomingMessage, cors: CorsPolicy | undefined): boolean {
  return cors === undefined || isSameOrigin(request) || cors.allows(request.headers.origin ?? "");
}

/** A browser sends cookies with sockets that foreign pages open. They must not authenticate the user unless the origin is allowed. */
function trustedHeaders(
  request: IncomingMessage,
  { cors, readCookiesOfOtherOrigins }: WebSocketOptions,
): RequestHeaders {
  const isNamed = cors !== undefined && !cors.isOpen;
  if (readCookiesOfOtherOrigins || isNamed || request.headers.cookie === undefined || isSameOrigin(request))
    return request.headers;
  const { cookie: _, ...rest } = request.headers;
  return rest;
}

/** Answers instead of upgrading. The connection limit no longer counts the socket, so it closes with the answer. */
function refuse(socket: Duplex, status: number, body: string, headers: readonly string[] = []): void {
  socket.on("error", () => undefined);
  socket.once("finish", () => socket.destroy());
  const lines = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ""}`,
    `Content-Type: ${body.startsWith("{") ? "application/json; charset=utf-8" : "text/plain; charset=utf-8"}`,
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    "Connection: close",
    ...headers,
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
