import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { RequestHeaders } from "../auth/request-headers.ts";

/** One finished HTTP request or WebSocket connection. Holds no text of the client except a harmless request id. */
export interface FinishedRequest {
  readonly requestId: string;
  /** Id of the trace to which the request belongs. */
  readonly traceId?: string | undefined;
  readonly method: string;
  /** A path that the engine serves, or `other`. */
  readonly route: string;
  /** 101 for a WebSocket; 499 when the client left before the answer. */
  readonly status: number;
  readonly milliseconds: number;
  readonly role?: string | undefined;
  /** Codes of the errors in the answer, each once; absent for an answer without errors. */
  readonly errors?: readonly string[] | undefined;
  /** Of a WebSocket: operations started, and how many of them failed. */
  readonly operations?: number;
  readonly failed?: number;
}

export type RequestLog = (request: FinishedRequest) => void;

/** Requests of health checks every few seconds. */
export const quietRoutes: ReadonlySet<string> = new Set(["/healthz", "/hasura/healthz"]);

/** Writes one line for each request. Redaction is off because no field holds a secret; it takes six times as long as the line. */
export function createRequestLog(logger: Logger): RequestLog {
  const lines = logger.child({}, { redact: [] });
  return (request) => {
    const entry = { ...request, milliseconds: Math.round(request.milliseconds * 10) / 10 };
    if (quietRoutes.has(request.route)) lines.debug(entry, "request answered");
    else lines.info(entry, "request answered");
  };
}

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's `x-request-id` if it is safe in a log and a header, else a new one. */
export function requestId(headers: RequestHeaders): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && acceptable.test(given) ? given : randomUUID();
}
