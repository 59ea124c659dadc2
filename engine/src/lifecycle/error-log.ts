import type { Logger } from "pino";
import type { EngineError } from "../errors.ts";

export interface ErrorContext {
  readonly requestId: string;
  readonly role?: string | undefined;
}

export type ErrorLog = (error: EngineError, context: ErrorContext) => void;

/** Codes of rejected credentials. */
const credentialCodes: ReadonlySet<string> = new Set([
  "access-denied",
  "invalid-headers",
  "invalid-jwt",
  "jwt-invalid-claims",
  "jwt-missing-role-claims",
]);

/**
 * Logs a failed request by its code and place. Messages and internal details are omitted, because both can quote client input. For server
 * failures the log has the name and code (SQLSTATE, errno) of their cause.
 */
export function createErrorLog(logger: Logger): ErrorLog {
  return (error, context) => {
    const fields = {
      requestId: context.requestId,
      role: context.role,
      code: error.code,
      path: error.path,
      status: error.status,
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
