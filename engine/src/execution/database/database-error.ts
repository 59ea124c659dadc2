/** Errors of clients whose statement Postgres refuses or cannot answer. */
import { databaseLost, EngineError, type EngineErrorInit } from "../../errors.ts";
import { PostgresError } from "../../postgres/messages.ts";
import type { Sql } from "../../sql/sql.ts";

export function isCancelled(error: unknown): boolean {
  return error instanceof PostgresError && error.code === "57014";
}

export function isConnectionError(error: unknown): boolean {
  if (error instanceof EngineError) return false;
  return !(error instanceof PostgresError) || error.code.startsWith("08") || error.code.startsWith("57P");
}

/** The engine's code for an error of Postgres, with its own message where Postgres' would not help or Hasura has another one. */
function ownError(sqlState = ""): (Partial<EngineErrorInit> & Pick<EngineErrorInit, "code">) | undefined {
  if (sqlState === "57014")
    return { code: "timeout", message: "the statement took longer than the limit and was cancelled" };
  if (sqlState === "53200") {
    const message = "the statement exceeded the memory limit for one statement. Request fewer rows or less nesting";
    return { code: "unexpected", message };
  }
  if (sqlState === "53400") {
    const message = "the statement sorts more data than the limit of temporary files allows. Request less at once";
    return { code: "unexpected", message };
  }
  if (sqlState === "55P03")
    return { code: "timeout", message: "another transaction holds a lock on the rows for longer than the limit" };
  if (sqlState === "42P10")
    return { code: "constraint-error", message: "there is no unique or exclusion constraint on target column(s)" };
  if (sqlState === "22025") return { code: "bad-request" };
  if (sqlState === "42704") return { code: "constraint-error" };
  if (sqlState === "40001")
    return { code: "concurrent-update", message: "serialization failure due to concurrent update" };
  if (sqlState.startsWith("40")) return { code: "concurrent-update" };
  if (sqlState.startsWith("23")) return { code: sqlState === "23514" ? "permission-error" : "constraint-violation" };
  return sqlState.startsWith("22") ? { code: "data-exception" } : undefined;
}

/** SQLSTATEs of a database whose disk is full or fails (PostgreSQL manual, appendix A). */
const cannotServe = /^(?:53100|58...)$/;

/** Hasura's words before Postgres' message, by SQLSTATE. */
const violations: Readonly<Record<string, string>> = {
  "23001": "Can not delete or update due to data being referred. ",
  "23502": "Not-NULL violation. ",
  "23503": "Foreign key violation. ",
  "23505": "Uniqueness violation. ",
  "23514": "Check constraint violation. ",
  "23P01": "Exclusion violation. ",
};

/** The engine's error for a failed statement. */
export function databaseError(error: unknown, statement: Sql | undefined, path = "$"): unknown {
  if (error instanceof EngineError) return error;
  const { code, message, detail, hint } = error as { code?: string; message: string; detail?: string; hint?: string };
  if (isConnectionError(error) || code === "53300") return databaseLost(error, message);
  const own = ownError(code);
  if (own !== undefined)
    return new EngineError({ message: `${violations[code ?? ""] ?? ""}${message}`, ...own, path, cause: error });
  return new EngineError({
    code: "unexpected",
    path,
    message: "database query error",
    ...(cannotServe.test(code ?? "") ? { status: 503, reason: "database" } : {}),
    internal: { error: { status_code: code, message, description: detail ?? null, hint: hint ?? null }, statement },
    cause: error,
  });
}
