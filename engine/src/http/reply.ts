import type { ServerResponse } from "node:http";
import { promisify } from "node:util";
import { constants, gzip } from "node:zlib";
import type { RequestHeaders } from "../auth/request-headers.ts";

const compress = promisify(gzip);
/** Below one packet compression only costs. */
const smallestCompressed = 1_024;
const acceptsGzip = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0+)?\s*(?:,|$))[\d.]+\s*)?(?:,|$)/i;

export interface Reply {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export const jsonType = "application/json; charset=utf-8";
export const textType = "text/plain; charset=utf-8";

/** Sends a reply, gzipped where the client asked for it and it is worth it. Nothing is sent when the client has left. */
export async function sendReply(
  response: ServerResponse,
  requestHeaders: RequestHeaders,
  id: string,
  reply: Reply,
): Promise<void> {
  const headers: Record<string, string | number> = {
    "content-type": reply.contentType ?? jsonType,
    "x-request-id": id,
    ...reply.headers,
  };
  const encodings = requestHeaders["accept-encoding"];
  if (reply.text.length < smallestCompressed || encodings === undefined || !acceptsGzip.test(encodings)) {
    headers["content-length"] = Buffer.byteLength(reply.text);
    if (!response.destroyed) response.writeHead(reply.status, headers).end(reply.text);
    return;
  }
  const body = await compress(reply.text, { level: constants.Z_BEST_SPEED });
  headers["content-encoding"] = "gzip";
  headers["vary"] = response.hasHeader("vary") ? "Origin, Accept-Encoding" : "Accept-Encoding";
  headers["content-length"] = body.length;
  if (!response.destroyed) response.writeHead(reply.status, headers).end(body);
}

/** Hasura's body for errors outside of GraphQL. */
export function apiError(status: number, code: string, message: string): Reply {
  return { status, text: JSON.stringify({ path: "$", error: message, code }) };
}

/** What Hasura answers for a path, method or API that is not there. */
export function notFound(): Reply {
  return apiError(404, "not-found", "resource does not exist");
}
