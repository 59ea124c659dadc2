import { once } from "node:events";
import { createServer, type RequestListener, type Server, STATUS_CODES } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorCode, errorCodes } from "@routeql/contract/error-codes";

/** Node's errors for requests that no handler sees completely; any other error means that it is not HTTP. */
const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
};

/** Answers invalid HTTP, oversized headers and incomplete requests in the form of all other errors. */
function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const code = codes[error.code ?? ""] ?? "malformed-request";
  const { status, sentence } = errorCodes[code];
  const body = JSON.stringify({ error: sentence, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}

/** Milliseconds. */
export interface Patience {
  readonly headersTimeout: number;
  readonly requestTimeout: number;
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

/** @returns the port, chosen by the system when `port` is 0 */
export async function listen(server: Server, port: number, host?: string): Promise<number> {
  server.listen(port, host);
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
