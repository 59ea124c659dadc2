/** Errors that a client may see, each with a stable code of packages/contract. Details for the operator are in `cause` and go to the log. */
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";
import type { UnavailableReason } from "@routeql/contract/unavailable";

export interface SidecarErrorOptions {
  readonly cause?: unknown;
  readonly retryAfterSeconds?: number;
  /** Methods for the Allow header (RFC 9110, 10.2.1). */
  readonly allow?: readonly string[];
}

export class SidecarError extends Error {
  readonly code: ErrorCode;
  readonly status: number;
  readonly retryAfterSeconds: number | undefined;
  readonly allow: readonly string[] | undefined;

  constructor(code: ErrorCode, options: SidecarErrorOptions = {}) {
    // No stack: it costs a fifth of a rejected request, and the code is sufficient. A cause has its own stack.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(errorCodes[code].sentence, { cause: options.cause });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.code = code;
    this.status = errorCodes[code].status;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.allow = options.allow;
  }
}

/** The account is unknown or the password is wrong; clients cannot distinguish the two. */
export class WrongCredentials extends SidecarError {
  constructor() {
    super("wrong-credentials");
  }
}

export class WrongServiceKey extends SidecarError {
  constructor() {
    super("wrong-service-key");
  }
}

export class NoSession extends SidecarError {
  constructor() {
    super("no-session");
  }
}

/** The password is right, but the account is disabled or its role has no access. */
export class NoAccess extends SidecarError {
  constructor() {
    super("no-access");
  }
}

export class TooManyRequests extends SidecarError {
  constructor(retryAfterSeconds: number) {
    super("too-many-requests", { retryAfterSeconds });
  }
}

/** A service that the answer needs does not answer; `reason` is for the operator. */
export class Unavailable extends SidecarError {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, cause?: unknown, retryAfterSeconds = 2) {
    super("unavailable", { cause, retryAfterSeconds });
    this.reason = reason;
  }
}

/** A token issued now would be revoked, because the account has just changed. */
export class AccountChanged extends Unavailable {
  /** Time from which on its tokens are accepted, in seconds since the epoch. */
  readonly usableFrom: number;

  constructor(usableFrom: number) {
    const seconds = Math.max(1, Math.ceil(usableFrom - Date.now() / 1000));
    const reason = "the account has changed, or the clock of the sidecar is behind that of the database";
    super(
      "accounts",
      new Error(`a token is accepted only if it is issued in ${seconds} s or later: ${reason}`),
      seconds,
    );
    this.usableFrom = usableFrom;
  }
}
