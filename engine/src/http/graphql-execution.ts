import { errorType } from "@routeql/tracing/span";
import type { Bytes, GraphQLRequest, Session } from "../engine.ts";
import { busy, type EngineError, toEngineError } from "../errors.ts";
import type { Executor, RunOptions, StreamedReply } from "../executor.ts";
import type { Metrics, OperationKind } from "../lifecycle/metrics.ts";

/** Runs one query for HTTP or a WebSocket: within the admission limit, counted and timed. */
export interface GraphQLExecution {
  /**
   * The reply, `{"data":…}`.
   * @param options the caller ends the span
   * @throws EngineError; the signal's reason when the caller aborted.
   */
  run(request: GraphQLRequest, session: Session, options: RunOptions): Promise<Bytes | StreamedReply>;
}

export interface GraphQLExecutionOptions {
  readonly executor: Pick<Executor, "kindOf" | "run">;
  readonly admission: Admission;
  readonly metrics: Pick<Metrics, "operation">;
}

export function createGraphQLExecution({ executor, admission, metrics }: GraphQLExecutionOptions): GraphQLExecution {
  return {
    async run(request, session, options) {
      const { signal, span } = options;
      const start = performance.now();
      let kind: OperationKind = "unknown";
      try {
        admission.enter(session);
      } catch (error) {
        metrics.operation(kind, session.role, "refused", 0);
        span?.fail(errorType(error));
        throw error;
      }
      try {
        kind = executor.kindOf(request, session);
        span?.set({ "graphql.operation.type": kind, "routeql.role": session.role });
        const reply = await executor.run(request, session, options);
        metrics.operation(kind, session.role, "success", (performance.now() - start) / 1000);
        return reply;
      } catch (error) {
        metrics.operation(kind, session.role, "failure", (performance.now() - start) / 1000);
        span?.fail(errorType(error));
        if (signal.aborted) throw signal.reason;
        throw toEngineError(error);
      } finally {
        admission.leave(session);
      }
    },
  };
}

/** Bounds the number of concurrent operations, so that overload is answered immediately instead of delaying every client. */
export interface Admission {
  /**
   * Takes a place; release it with `leave`.
   * @throws EngineError `busy` (503) when all are taken, unless the client holds less than its share
   */
  enter(session: Pick<Session, "role" | "client">): void;
  leave(session: Pick<Session, "role" | "client">): void;
  readonly inFlight: number;
}

/** A client with all places cannot keep another client from its share, so up to twice as many operations may run. */
export function createAdmission(places: number): Admission {
  let taken = 0;
  const held = new Map<string, number>();
  return {
    enter({ role, client = role }) {
      const own = held.get(client) ?? 0;
      const clients = held.size + (own === 0 ? 1 : 0);
      if (taken >= places && own >= Math.max(1, Math.floor(places / clients))) {
        throw busy();
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

/** Whether a session may see the internal detail of an error. */
export type ShowsInternal = (session: Session, error: EngineError) => boolean;

export interface InternalDetailOptions {
  /** Shown to role admin (Hasura's default). */
  readonly forAdmin: boolean;
  /** Shown to every role. */
  readonly forAll: boolean;
}

/** The detail of a 503 contains the database's address and the connection settings, so it stays in the log for every role. */
export function createShowsInternal({ forAdmin, forAll }: InternalDetailOptions): ShowsInternal {
  return (session, error) => error.status !== 503 && (forAll || (forAdmin && session.isAdmin));
}
