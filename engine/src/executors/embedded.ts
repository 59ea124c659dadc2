import type { Engine, GraphQLRequest, LiveQuery } from "../engine.ts";
import type { Executor, ExecutorEvents } from "../executor.ts";
import type { Settings } from "../settings/settings.ts";
import { createSubscriptions } from "../subscriptions/subscriptions.ts";

export type PollingSettings = Pick<
  Settings,
  "refetchInterval" | "batchSize" | "streamRefetchInterval" | "streamBatchSize" | "poolSize" | "liveQueryBudget"
>;

const defaultPoolSize = 4;

/** Answers from the embedded engine, and runs its live queries and streams. Closes the engine when it is closed. */
export function createEmbeddedExecutor(engine: Engine, settings: PollingSettings, events: ExecutorEvents): Executor {
  const connections = settings.poolSize ?? defaultPoolSize;
  const subscriptions = createSubscriptions({
    engine,
    interval: settings.refetchInterval,
    batchSize: settings.batchSize,
    streamInterval: settings.streamRefetchInterval,
    streamBatchSize: settings.streamBatchSize,
    // Half of the connections, so that queries always find one.
    concurrentPolls: Math.max(1, Math.floor(connections / 2)),
    connections,
    budgetPercent: settings.liveQueryBudget,
    ...events,
  });
  return {
    /** Parses the document only when it may be something other than a query. */
    kindOf(request, session) {
      const { query } = request;
      return query.includes("subscription") || query.includes("mutation")
        ? engine.operationKind(request, session)
        : "query";
    },
    run: (request, session, options) => engine.executeToBytes(request, session, options),
    prepare(request, session) {
      const prepared = engine.prepareSubscription(request, session);
      return {
        isReplaceable: prepared.kind === "live",
        bytes: bytesHeld(prepared, request),
        start: (listener) => subscriptions.subscribe(prepared, listener),
      };
    },
    ping: () => engine.ping(),
    statistics: () => ({ ...engine.statistics(), liveQueries: subscriptions.figures() }),
    async close() {
      subscriptions.stop();
      await engine.close();
    },
  };
}

/** Per character of a document, in the statement of its subscription. */
const bytesPerCharacter = 4;

/** A running subscription keeps its values and its statement. */
function bytesHeld({ parameters }: LiveQuery, { query }: GraphQLRequest): number {
  const values = parameters.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0);
  return 2 * values + bytesPerCharacter * query.length;
}
