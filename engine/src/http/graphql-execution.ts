import { errorType, type Span } from "@routeql/tracing/span";
import type { Bytes, Engine, GraphQLRequest, Session } from "../engine.ts";
import { toEngineError } from "../errors.ts";
import type { Cancellation } from "../cancellation.ts";
import type { Metrics, OperationKind } from "../lifecycle/metrics.ts";
import type { Admission } from "./admission.ts";

/** Runs one query for HTTP or a WebSocket: within the admission limit, counted and timed. */
export interface GraphQLExecution {
  /**
   * The reply, `{"data":…}`.
   * @param span of the operation; the caller ends it
   * @throws EngineError; the signal's reason when the caller aborted.
   */
  run(request: GraphQLRequest, session: Session, signal: Cancellation, span?: Span): Promise<Bytes>;
  /** Kind of the operation to execute. @throws EngineError as run does. */
  kindOf(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription";
}

export interface GraphQLExecutionOptions {
  readonly engine: Pick<Engine, "executeToBytes" | "operationKind">;
  readonly admission: Admission;
  readonly metrics: Pick<Metrics, "operation">;
}

export function createGraphQLExecution({ engine, admission, metrics }: GraphQLExecutionOptions): GraphQLExecution {
  /** Parses the document only when it may be something other than a query. */
  function kindOf(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription" {
    const { query } = request;
    return query.includes("subscription") || query.includes("mutation")
      ? engine.operationKind(request, session)
      : "query";
  }

  return {
    kindOf,
    async run(request, session, signal, span) {
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
        kind = kindOf(request, session);
        span?.rename(kind);
        span?.set({ "graphql.operation.type": kind, "routeql.role": session.role });
        const reply = await engine.executeToBytes(request, session, { signal, span });
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
