import type { Duplex } from "node:stream";
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";

/** Answers what is not HTTP at all, or has too large a head, in the form of all other errors. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const code: ErrorCode = error.code === "HPE_HEADER_OVERFLOW" ? "headers-too-large" : "malformed-request";
  const { status, sentence } = errorCodes[code];
  const body = JSON.stringify({ error: sentence, code });
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 431 ? "Request Header Fields Too Large" : "Bad Request"}`,
      "Content-Type: application/json; charset=utf-8",
      `Content-Length: ${Buffer.byteLength(body)}`,
      "Cache-Control: no-store",
      "Connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
