import type { ErrorRequestHandler, Response } from "express";
import type { Logger } from "pino";
import { errorCodes } from "@routeql/contract/error-codes";
import { codeWithReason, errorsHeader, type UnavailableReason } from "@routeql/contract/unavailable";
import type { Metrics } from "../metrics.ts";
import { SidecarError, Unavailable } from "../errors.ts";
import { contextOf } from "./request-context.ts";

export interface ErrorBody {
  readonly error: string;
  readonly code: string;
}

/** Answers every error: ours with its status and code, others with 500. The cause goes to the log only. */
export function errorReply(log: Logger, metrics: Pick<Metrics, "unavailable">): ErrorRequestHandler {
  // Express recognises an error handler by its four parameters.
  return (thrown: unknown, _request, response, _next) => {
    const error = asSidecarError(thrown);
    const reason = error instanceof Unavailable ? error.reason : undefined;
    if (error.status >= 500 && error.code !== "ldap-not-configured") {
      const level = reason === undefined ? "error" : "warn";
      log[level]({ requestId: contextOf(response).requestId, reason, err: error.cause ?? error }, error.message);
    }
    if (reason !== undefined) metrics.unavailable(reason);
    if (response.headersSent) response.destroy();
    else sendError(response, error, reason);
  };
}

/** RFC 9110, 15.5.2 requires `WWW-Authenticate` with 401. The scheme has no registered name, so browsers ask for nothing. */
export const challenge = "RouteQL";

function sendError(response: Response, error: SidecarError, reason: UnavailableReason | undefined): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader("Retry-After", String(error.retryAfterSeconds));
  if (error.allow !== undefined) response.setHeader("Allow", error.allow.join(", "));
  if (error.status === 401) response.setHeader("WWW-Authenticate", challenge);
  const label = codeWithReason(error.code, reason);
  if (reason !== undefined) response.setHeader(errorsHeader, label);
  response.locals["errorCode"] = label;
  response.status(error.status).json({ error: errorCodes[error.code].sentence, code: error.code } satisfies ErrorBody);
}

/** Errors of the body parser and the router carry a status and a type (http-errors). */
function asSidecarError(thrown: unknown): SidecarError {
  if (thrown instanceof SidecarError) return thrown;
  const { status, type } = (thrown ?? {}) as { status?: unknown; type?: unknown };
  if (status === 413) return new SidecarError("payload-too-large");
  if (status === 415) return new SidecarError("unsupported-media-type");
  if (type === "entity.parse.failed") return new SidecarError("malformed-json");
  if (typeof status === "number" && status >= 400 && status < 500) return new SidecarError("malformed-request");
  return new SidecarError("internal", { cause: thrown });
}
