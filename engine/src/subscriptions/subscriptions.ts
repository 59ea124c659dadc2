import { Slots } from "../cost/slots.ts";
import type { LiveQuery } from "../engine.ts";
import type { Listener, Subscription } from "../executor.ts";
import { LiveCohort } from "./live-cohort.ts";
import { Budget } from "./budget.ts";
import type { Polling } from "./polling.ts";
import { StreamCohort } from "./stream-cohort.ts";

export interface SubscriptionsOptions extends Omit<Polling, "slots" | "budget" | "net"> {
  /** Maximum number of concurrent polls; default 2. */
  readonly concurrentPolls?: number;
  /** Connections of the engine, and percent of their time for runs that notices cause; default 4 and 10. */
  readonly connections?: number;
  readonly budgetPercent?: number;
  /** The same for streams; default as for live queries. */
  readonly streamInterval?: number;
  readonly streamBatchSize?: number;
}

/** Milliseconds after which a statement runs although no change was noticed. */
const net = 30_000;

/** All live queries and streams of one engine. Only those with listeners run. */
export interface Subscriptions {
  subscribe(query: LiveQuery, listener: Listener): Subscription;
  figures(): { readonly cohorts: number; readonly members: number; readonly subscribers: number };
  /** Ends all of them without notifying the listeners. */
  stop(): void;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const polling: Polling = {
    ...options,
    slots: new Slots(options.concurrentPolls ?? 2),
    budget: new Budget(options.budgetPercent ?? 10, options.connections ?? 4),
    net: Math.max(net, options.interval),
  };
  const streamPolling: Polling = {
    ...polling,
    interval: options.streamInterval ?? options.interval,
    batchSize: options.streamBatchSize ?? options.batchSize,
  };
  const cohorts = new Map<string, LiveCohort | StreamCohort>();

  function cohortOf({ kind, cohortKey }: LiveQuery): LiveCohort | StreamCohort {
    const known = cohorts.get(cohortKey);
    if (known !== undefined) return known;
    const whenEmpty = (): void => {
      cohorts.delete(cohortKey);
      polling.engine.release(cohortKey);
    };
    const created =
      kind === "live"
        ? new LiveCohort(cohortKey, polling, whenEmpty)
        : new StreamCohort(cohortKey, streamPolling, whenEmpty);
    cohorts.set(cohortKey, created);
    return created;
  }

  return {
    subscribe: (query, listener) => cohortOf(query).subscribe(query, listener),
    figures() {
      let members = 0;
      let subscribers = 0;
      for (const cohort of cohorts.values()) {
        members += cohort.members;
        subscribers += cohort.subscribers;
      }
      return { cohorts: cohorts.size, members, subscribers };
    },
    stop() {
      for (const cohort of cohorts.values()) cohort.stop();
      cohorts.clear();
    },
  };
}
