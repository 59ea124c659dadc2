/**
 * The engine's errors in Hasura's form: a stable code, a JSONPath into the request, and a sentence.
 * @module
 */

/** Hasura's error codes that apply to a read-only engine. */
export type EngineErrorCode =
  | "access-denied"
  | "already-exists"
  | "already-tracked"
  | "already-untracked"
  | "bad-request"
  | "busy"
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
  /** Detail for the admin secret and the log only; never for other roles. */
  readonly internal?: unknown;
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
  readonly internal: unknown;

  constructor(init: EngineErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "EngineError";
    this.code = init.code;
    this.path = init.path ?? "$";
    this.status = init.status ?? statusOfCode[init.code] ?? 400;
    this.internal = init.internal;
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
  return JSON.stringify({ errors: [error.toJSON(withInternal)] });
}

/** The answer to a client that asks for more than its share, or than the server can do now. */
export function busy(): EngineError {
  return new EngineError({ code: "busy", status: 503, message: "the server is busy, try again later" });
}
