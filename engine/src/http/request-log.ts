import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import type { RequestHeaders } from "../auth/request-headers.ts";
import type { EngineError } from "../errors.ts";

/** One finished HTTP request or WebSocket connection. Holds no text of the client except a harmless request id. */
export interface FinishedRequest {
  readonly requestId: string;
  readonly traceId?: string | undefined;
  readonly method: string;
  /** A path that the engine serves, or `other`. */
  readonly route: string;
  /** 101 for a WebSocket; 499 when the client left before the answer. */
  readonly status: number;
  readonly milliseconds: number;
  readonly role?: string | undefined;
  /** Labels of the errors in the answer, each once; absent for an answer without errors. */
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

export interface ErrorContext {
  readonly requestId: string;
  readonly role?: string | undefined;
}

export type ErrorLog = (error: EngineError, context: ErrorContext) => void;

const credentialCodes: ReadonlySet<string> = new Set([
  "access-denied",
  "invalid-headers",
  "invalid-jwt",
  "jwt-invalid-claims",
  "jwt-missing-role-claims",
]);

/** Logs a failed request by its code and place. Messages are omitted, because they can quote client input. */
export function createErrorLog(logger: Logger): ErrorLog {
  return (error, context) => {
    const fields = {
      requestId: context.requestId,
      role: context.role,
      code: error.code,
      path: error.path,
      status: error.status,
      reason: error.reason,
    };
    if (credentialCodes.has(error.code)) {
      // The reason that a token is invalid comes from a fixed list; other messages can quote the claims of a client.
      const reason = error.code === "invalid-jwt" ? error.message : undefined;
      logger.info({ requestId: fields.requestId, code: error.code, reason }, "credentials rejected");
      return;
    }
    if (error.status < 500) {
      logger.debug(fields, "request refused");
      return;
    }
    // A client that sends more work than its share causes this, so it is no failure of the server.
    if (error.code === "busy") {
      logger.warn(fields, "request refused");
      return;
    }
    logger.error({ ...fields, cause: causeOf(error) }, "request failed");
  };
}

function causeOf(error: EngineError): { name: string; code?: string | undefined } | undefined {
  const { cause } = error;
  if (!(cause instanceof Error)) return undefined;
  const code = (cause as { code?: unknown }).code;
  return { name: cause.name, code: typeof code === "string" ? code : undefined };
}
