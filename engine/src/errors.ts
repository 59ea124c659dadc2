/** The engine's errors in Hasura's form: a stable code, a JSONPath into the request, and a sentence. */
import { codeWithReason, type UnavailableReason } from "@routeql/contract/unavailable";

/** Hasura's error codes that apply to this engine. */
export type EngineErrorCode =
  | "access-denied"
  | "already-exists"
  | "already-tracked"
  | "already-untracked"
  | "bad-request"
  | "busy"
  | "concurrent-update"
  | "conflict"
  | "constraint-error"
  | "constraint-violation"
  | "data-exception"
  | "dependency-error"
  | "invalid-configuration"
  | "invalid-headers"
  | "invalid-json"
  | "invalid-jwt"
  | "invalid-params"
  | "jwt-invalid-claims"
  | "jwt-missing-role-claims"
  | "metadata-warnings"
  | "method-not-allowed"
  | "not-exists"
  | "not-found"
  | "not-supported"
  | "parse-failed"
  | "permission-denied"
  | "permission-error"
  | "postgres-error"
  | "start-failed"
  | "timeout"
  | "unexpected"
  | "unexpected-payload"
  | "validation-failed";

const statusOfCode: Partial<Record<EngineErrorCode, number>> = {
  "access-denied": 401,
  busy: 503,
  conflict: 409,
  "not-found": 404,
  "method-not-allowed": 405,
  "postgres-error": 500,
  timeout: 504,
  unexpected: 500,
};

export interface EngineErrorInit {
  readonly code: EngineErrorCode;
  /** JSONPath from the request's root, e.g. `$.selectionSet.author.args.limit`; default `$`. */
  readonly path?: string;
  readonly message: string;
  /** HTTP status for endpoints that use it (not `/v1/graphql`); derived from the code when absent. */
  readonly status?: number;
  /** Seconds after which a retry helps, for status 503. */
  readonly retryAfter?: number;
  /** Why the status is 503; for the operator only. */
  readonly reason?: UnavailableReason;
  /** Detail for the admin secret and the log only; never for other roles. */
  readonly internal?: unknown;
  /** The whole reply, if another engine wrote it. */
  readonly reply?: string | undefined;
  readonly cause?: unknown;
}

/** One error in the format of Hasura's GraphQL endpoint. */
export interface SerializedError {
  readonly message: string;
  readonly extensions: { readonly path: string; readonly code: string; readonly internal?: unknown };
}

/** One error in the format of Hasura's older endpoints. */
export interface LegacyError {
  readonly path: string;
  readonly error: string;
  readonly code: string;
  readonly internal?: unknown;
}

export class EngineError extends Error {
  readonly code: EngineErrorCode;
  readonly path: string;
  readonly status: number;
  readonly retryAfter: number;
  readonly reason: UnavailableReason | undefined;
  readonly internal: unknown;
  readonly reply: string | undefined;

  constructor(init: EngineErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "EngineError";
    this.code = init.code;
    this.path = init.path ?? "$";
    this.status = init.status ?? statusOfCode[init.code] ?? 400;
    this.retryAfter = init.retryAfter ?? 1;
    this.reason = init.reason;
    this.internal = init.internal;
    this.reply = init.reply;
  }

  /** The code as logs name it, such as `busy:wait`. */
  get label(): string {
    return codeWithReason(this.code, this.reason);
  }

  /** @param withInternal whether to add the internal detail, as Hasura does only for role admin */
  toJSON(withInternal = false): SerializedError {
    const extensions = { path: this.path, code: this.code };
    return {
      message: this.message,
      extensions: withInternal && this.internal !== undefined ? { ...extensions, internal: this.internal } : extensions,
    };
  }
}

/** @param withInternal as for {@link EngineError.toJSON} */
export function legacyError(
  { path, message, code, internal }: EngineError,
  { withInternal = false }: { readonly withInternal?: boolean } = {},
): LegacyError {
  return { path, error: message, code, ...(withInternal && internal !== undefined ? { internal } : {}) };
}

/** Any thrown value as an engine error. Other errors become `unexpected` without detail for the client. */
export function toEngineError(thrown: unknown): EngineError {
  if (thrown instanceof EngineError) return thrown;
  const internal = thrown instanceof Error ? { error: thrown.message } : undefined;
  return new EngineError({ code: "unexpected", message: "internal error", internal, cause: thrown });
}

/** `{"errors":[…]}`, the text of a failed GraphQL reply. */
export function errorReply(error: EngineError, withInternal = false): string {
  return error.reply ?? JSON.stringify({ errors: [error.toJSON(withInternal)] });
}

/** The answer to a client that asks for more than its share, or than the server can do now. @param retryAfter {@link EngineErrorInit.retryAfter} */
export function busy(reason: UnavailableReason, retryAfter = 1): EngineError {
  const message = "the server is busy, try again later";
  return new EngineError({ code: "busy", status: 503, message, retryAfter, reason });
}

/** Hasura's error for a database that does not answer. @param detail for {@link EngineErrorInit.internal} */
export function databaseLost(cause: unknown, detail: string, retryAfter = 1): EngineError {
  return new EngineError({
    code: "postgres-error",
    message: "connection error",
    status: 503,
    reason: "database",
    retryAfter,
    internal: { error: detail },
    cause,
  });
}

/** A validation error of the request. @param path its JSONPath, as Hasura reports it */
export function invalid(message: string, path = "$"): EngineError {
  return new EngineError({ code: "validation-failed", path, message });
}

/** Hasura's other kind of error: a document or a value that cannot be parsed. */
export function unreadable(message: string, path = "$"): EngineError {
  return new EngineError({ code: "parse-failed", path, message });
}

/** Advice for a GraphQL client about an error of the engine. */
export interface ClientError {
  /** Status in replies of the type `application/graphql-response+json`. Replies of the type `application/json` have 200, or 503. */
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** Error codes for GraphQL clients of the embedded engine, for docs/reference/error-codes.md. Hasura uses the same codes. */
export const clientErrors: Partial<Record<EngineErrorCode, ClientError>> = {
  "access-denied": {
    status: 401,
    meaning: "Wrong master key, or the token does not allow the requested role.",
    remedy: "Check the key or the role.",
  },
  "invalid-headers": {
    status: 401,
    meaning: "The `Authorization` header is missing or malformed.",
    remedy: "Send `Authorization: Bearer <token>`.",
  },
  "invalid-jwt": { status: 401, meaning: "The token has expired or is not valid.", remedy: "Request a new token." },
  "jwt-invalid-claims": {
    status: 401,
    meaning: "The token lacks the claims of the engine.",
    remedy: "Use a token of this service.",
  },
  "not-found": {
    status: 404,
    meaning: "The account has no value for a session variable, such as an organisation.",
    remedy: "Ask an operator to set it.",
  },
  "invalid-json": { status: 400, meaning: "The body is not JSON.", remedy: "Send one JSON object." },
  "parse-failed": {
    status: 400,
    meaning: "`query`, `variables` or `operationName` is missing or has the wrong type.",
    remedy: "Compare the body with the message.",
  },
  "bad-request": {
    status: 400,
    meaning: "The request has an unsupported form, such as a batch that is too long.",
    remedy: "Follow the message.",
  },
  "validation-failed": {
    status: 400,
    meaning: "The query does not fit the role's schema or exceeds a limit.",
    remedy: "Follow `path`. A column may be hidden from your role.",
  },
  "constraint-violation": {
    status: 400,
    meaning: "A change violates a constraint of the database. Nothing was changed.",
    remedy: "Correct the values.",
  },
  "permission-error": {
    status: 400,
    meaning: "A changed row violates the role's permission or a check of the database.",
    remedy: "Correct the values. Nothing was changed.",
  },
  "concurrent-update": {
    status: 400,
    meaning: "Another transaction changed the same rows; nothing was changed.",
    remedy: "Repeat the request.",
  },
  "data-exception": { status: 400, meaning: "Postgres rejected the form of a value.", remedy: "Correct the value." },
  "not-supported": {
    status: 400,
    meaning: "The server does not support this feature.",
    remedy: "Send the query itself instead of a hash of it.",
  },
  "unexpected-payload": { status: 400, meaning: "A subscription came over HTTP.", remedy: "Use a WebSocket." },
  "start-failed": {
    status: 400,
    meaning: "WebSocket: too early, a used id, or too many operations.",
    remedy: "Wait for `connection_ack` and use a new id.",
  },
  busy: { status: 503, meaning: "The engine has too much work.", remedy: "Repeat the request after `Retry-After`." },
  timeout: {
    status: 504,
    meaning: "The statement exceeded the time limit.",
    remedy: "Request fewer rows or less nesting.",
  },
  "postgres-error": {
    status: 503,
    meaning: "The database failed or is not reachable.",
    remedy: "Repeat the request after `Retry-After`.",
  },
  unexpected: { status: 500, meaning: "The engine failed.", remedy: "Give `x-request-id` to the operator." },
};
