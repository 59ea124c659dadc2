import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import { errorsHeader } from "@routeql/contract/unavailable";
import type { RequestHeaders } from "../auth/request-headers.ts";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";
import { isStreamed, type StreamedReply, wholeReply } from "../executor.ts";
import { bufferOf, byteString, bytesOf, lengthOf, longestCopied, type Bytes } from "../postgres/bytes.ts";

const compress = promisify(gzip);
/** Replies below one packet gain nothing from compression. */
const smallestCompressed = 1_024;
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0+)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

export interface Reply {
  readonly status: number;
  readonly text: string | Bytes | StreamedReply;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The client whose memory account the reply counts on until it is sent; absent for short replies of the engine itself. */
  readonly client?: string | undefined;
  /** Role of the session, for the log. */
  readonly role?: string | undefined;
  /** Labels of the errors in the body, each once: {@link EngineError.label}. */
  readonly errors?: readonly string[] | undefined;
}

/** Time in milliseconds after which a client that reads nothing of its reply is disconnected. */
const sendPatience = 30_000;

const jsonType = "application/json; charset=utf-8";
export const textType = "text/plain; charset=utf-8";

/** Sends a reply; gzips it if the client accepts that and the reply is large enough. Sends nothing when the client has disconnected. */
export async function sendReply(
  response: ServerResponse,
  requestHeaders: RequestHeaders,
  id: string,
  reply: Reply,
  waitingBytes: WaitingBytes,
): Promise<void> {
  const headers: OutgoingHttpHeaders = {
    "content-type": reply.contentType ?? jsonType,
    "x-request-id": id,
    ...reply.headers,
  };
  if (reply.errors !== undefined) headers[errorsHeader] = reply.errors.join(",");
  const { text } = reply;
  const body = typeof text === "string" ? bytesOf(text) : text;
  const length = isStreamed(body) ? body.length : lengthOf(body);
  const encodings = requestHeaders["accept-encoding"];
  if (length < smallestCompressed || encodings === undefined || !acceptsGzip.test(encodings)) {
    headers["content-length"] = length;
    send(response, reply, headers, body, length, waitingBytes);
    return;
  }
  const compressed = await compress(bufferOf(await wholeReply(body)), { level: constants.Z_BEST_SPEED });
  headers["content-encoding"] = "gzip";
  headers["vary"] = response.hasHeader("vary") ? "Origin, Accept-Encoding" : "Accept-Encoding";
  headers["content-length"] = compressed.length;
  send(response, reply, headers, [compressed], compressed.length, waitingBytes);
}

/** One system call for head and body. Node joins a short string with the head, in half the time of a gathered write. */
function send(
  response: ServerResponse,
  { status, client = "" }: Reply,
  headers: OutgoingHttpHeaders,
  body: Bytes | StreamedReply,
  length: number,
  waitingBytes: WaitingBytes,
): void {
  if (response.destroyed) return;
  response.writeHead(status, headers);
  if (!isStreamed(body) && length <= longestCopied) {
    let text = "";
    for (const piece of body) text += typeof piece === "string" ? piece : byteString(piece);
    response.end(text, "latin1");
    return;
  }
  const cut = (): void => void response.destroy();
  const hold = waitingBytes.hold(() => client, cut, { hasTimeout: true });
  response.setTimeout(sendPatience, cut);
  response.on("close", () => hold.release());
  if (isStreamed(body)) {
    const count = (): void => hold.set(response.writableLength);
    response.on("drain", count);
    // Without back-pressure: Hasura's memory and connection are soon free, and the waiting bytes are bounded.
    body.body
      .on("data", (piece: Buffer) => {
        if (response.destroyed) return;
        response.write(piece);
        count();
      })
      .on("end", () => response.end())
      .on("error", cut);
    return;
  }
  hold.set(length);
  response.cork();
  for (const piece of body) response.write(piece, "latin1");
  response.end();
}

/** Hasura's body for errors outside of GraphQL. */
export function apiError(status: number, code: string, message: string): Reply {
  return { status, text: JSON.stringify({ path: "$", error: message, code }) };
}

/** Hasura's reply for an unknown path, method or API. */
export function notFound(): Reply {
  return apiError(404, "not-found", "resource does not exist");
}
