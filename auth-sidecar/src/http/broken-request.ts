import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";

/** Node's errors for requests that no handler sees completely; any other error means that it is not HTTP. */
const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
};

/** Answers invalid HTTP, oversized headers and incomplete requests in the form of all other errors. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
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
