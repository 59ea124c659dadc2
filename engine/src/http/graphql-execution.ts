/** The steps of an operation that HTTP and WebSockets share: authenticate, admit, execute, and the reply of a failure. */
import { errorType } from "@routeql/tracing/span";
import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import type { Turns } from "../cost/turns.ts";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";
import type { Bytes, GraphQLRequest, Session } from "../engine.ts";
import { busy, EngineError, toEngineError } from "../errors.ts";
import type { Executor, RunOptions, StreamedReply } from "../executor.ts";
import type { Metrics, OperationKind } from "../metrics.ts";
import type { ErrorLog } from "./request-log.ts";

/** Values that the steps of all operations share. */
export interface Front {
  readonly authenticator: Authenticator;
  readonly executor: Pick<Executor, "kindOf" | "run" | "prepare">;
  readonly admission: Admission;
  readonly metrics: Pick<Metrics, "operation" | "unavailable">;
  readonly turns: Turns;
  readonly waitingBytes: WaitingBytes;
  readonly logError: ErrorLog;
  /** Roles that see the internal detail of errors: admin (Hasura's default), or every role. */
  readonly internalDetail: { readonly forAdmin: boolean; readonly forAll: boolean };
}

/** A session with the check whether its token still holds: a slow body or a long batch takes time. */
export type Held = Pick<Authentication, "session" | "isRevoked">;

/** {@link Session.client}, or the role of a session without one. */
export function clientOf({ client, role }: Session): string {
  return client ?? role;
}

/** Admits and executes one query or mutation, counted and timed; the caller ends its span. @throws EngineError; the signal's reason */
export async function execute(
  {
    executor,
    admission,
    metrics,
  }: Pick<Front, "executor" | "admission"> & { readonly metrics: Pick<Metrics, "operation"> },
  request: GraphQLRequest,
  session: Session,
  options: RunOptions,
): Promise<Bytes | StreamedReply> {
  const { signal, span } = options;
  const start = performance.now();
  let kind: OperationKind = "unknown";
  let outcome = "success";
  try {
    admission.enter(session);
    try {
      kind = executor.kindOf(request, session);
      span?.set({ "graphql.operation.type": kind, "routeql.role": session.role });
      return await executor.run(request, session, options);
    } finally {
      admission.leave(session);
    }
  } catch (error) {
    span?.fail(errorType(error));
    outcome = "client-left";
    if (signal.aborted) throw signal.reason;
    const failure = toEngineError(error);
    outcome = failure.code;
    throw failure;
  } finally {
    metrics.operation(kind, session.role, outcome, (performance.now() - start) / 1000);
  }
}

export interface Failure {
  readonly error: EngineError;
  readonly showsInternal: boolean;
}

/** Logs a failed operation. The detail of a 503 names the database's address, so it stays in the log for every role. */
export function fail(
  { logError, metrics, internalDetail: { forAdmin, forAll } }: Pick<Front, "logError" | "metrics" | "internalDetail">,
  thrown: unknown,
  requestId: string,
  session?: Session,
): Failure {
  const error = toEngineError(thrown);
  logError(error, { requestId, role: session?.role });
  if (error.reason !== undefined) metrics.unavailable(error.reason);
  const mayShow = session !== undefined && error.status !== 503;
  return { error, showsInternal: mayShow && (forAll || (forAdmin && session.isAdmin)) };
}

/** Bounds the number of concurrent operations, so that overload is answered immediately instead of delaying every client. */
export interface Admission {
  /** Takes a place; release it with `leave`. @throws EngineError `busy` (503) when all are taken and the client has its share */
  enter(session: Pick<Session, "role" | "client">): void;
  leave(session: Pick<Session, "role" | "client">): void;
  readonly inFlight: number;
}

/** A client with all slots cannot keep another client from its share, so up to twice as many operations may run. */
export function createAdmission(slots: number): Admission {
  let taken = 0;
  const held = new Map<string, number>();
  return {
    enter({ role, client = role }) {
      const own = held.get(client) ?? 0;
      const clients = held.size + (own === 0 ? 1 : 0);
      if (taken >= slots && own >= Math.max(1, Math.floor(slots / clients))) {
        throw busy("admission");
      }
      taken += 1;
      held.set(client, own + 1);
    },
    leave({ role, client = role }) {
      taken -= 1;
      const own = held.get(client) ?? 0;
      if (own > 1) held.set(client, own - 1);
      else held.delete(client);
    },
    get inFlight() {
      return taken;
    },
  };
}
