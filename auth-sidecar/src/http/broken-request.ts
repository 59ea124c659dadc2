import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";

/** What Node finds wrong with a request that no handler sees, or sees only in part; anything else is not HTTP at all. */
const codes: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
};

/** Answers what is not HTTP, has too large a head or does not arrive whole in time, in the form of all other errors. */
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
