import type { LoadedMetadata } from "@routeql/metadata/read/load";
import type { Metadata } from "@routeql/metadata/read/shape";
import type { EngineOptions, ExplainedSubscription } from "../../interface.ts";
import { Listener } from "../../notices/listener.ts";
import { Notices } from "../../notices/notices.ts";
import {
  type ChangeObserver,
  followsTime,
  type NoticeFigures,
  type Observation,
  type PolledKind,
  switchedOff,
} from "../../notices/observation.ts";
import type { Database } from "../database/database.ts";
import { openDatabase, placesOf } from "../database/open-database.ts";
import type { SubscriptionPlan } from "../plan/plan.ts";

interface LiveStatement {
  readonly plan: Pick<SubscriptionPlan, "statement" | "reads">;
  /** Values such as `today` change the answers without a change of data. */
  readonly isRelative: boolean;
}

interface LiveSource {
  readonly notices: Notices;
  /** The primary of a source that is a hot standby: a notice precedes the change there. */
  readonly primary: Database | undefined;
}

/** Milliseconds in which an explanation waits for the tables of a statement. */
const patience = 5_000;

/** Notices of the sources' changes, and the databases where live queries run. */
export class LiveSources {
  readonly #sources: ReadonlyMap<string, LiveSource>;
  /** Running statements without an observation at their source, by the reason. */
  readonly #unobserved = new Map<PolledKind, number>();

  constructor(metadata: Metadata, loaded: LoadedMetadata, options: EngineOptions) {
    const sources = options.liveQueries === "poll" ? [] : metadata.sources;
    this.#sources = new Map(
      sources.map((source, index) => {
        const { own, primary: place } = placesOf(source, index, options, loaded);
        const notices = new Notices({
          listen: (events) => new Listener((place ?? own).connection, events),
          onListening: (lost) =>
            options.onEvent?.(
              lost === undefined
                ? { type: "listening", message: source.name }
                : { type: "not-listening", message: lost },
            ),
        });
        const primary = place && openDatabase(source, place, options);
        return [source.name, { notices, primary }];
      }),
    );
  }

  /** Where live queries run, if not where queries do. */
  database(source: string): Database | undefined {
    const found = this.#sources.get(source);
    return found?.notices.isListening === true ? found.primary : undefined;
  }

  get databases(): readonly Database[] {
    return [...this.#sources.values()].flatMap(({ primary }) => primary ?? []);
  }

  observe(cohort: LiveStatement | undefined, observer: ChangeObserver): Observation {
    const notices = cohort && this.#sources.get(cohort.plan.statement.source)?.notices;
    if (cohort === undefined || notices === undefined) return this.#counted(switchedOff);
    return cohort.isRelative ? this.#counted(followsTime) : notices.observe(cohort.plan.reads, observer);
  }

  #counted(observation: Observation): Observation {
    const count = (difference: number): void => {
      const kind = observation.reason?.kind;
      if (kind !== undefined) this.#unobserved.set(kind, (this.#unobserved.get(kind) ?? 0) + difference);
    };
    count(1);
    let isStopped = false;
    return {
      ...observation,
      stop: () => {
        if (!isStopped) count(-1);
        isStopped = true;
      },
    };
  }

  async explain(cohort: LiveStatement): Promise<ExplainedSubscription["changes"]> {
    const known = Promise.withResolvers<void>();
    const observation = this.observe(cohort, {
      changed: () => undefined,
      polled: (reason) => {
        if (reason?.kind !== "starting") known.resolve();
      },
    });
    const timer = setTimeout(known.resolve, patience);
    if (observation.reason?.kind === "starting") await known.promise;
    clearTimeout(timer);
    const { reason, tables } = observation;
    observation.stop();
    return { noticed: reason === undefined, tables, reason: reason?.text ?? null };
  }

  get figures(): NoticeFigures {
    const bySource = new Map([...this.#sources].map(([source, { notices }]) => [source, notices.figures]));
    const all = [...bySource.values()];
    const polled: Partial<Record<PolledKind, number>> = Object.fromEntries(this.#unobserved);
    for (const each of all)
      for (const [kind, count] of Object.entries(each.polled) as [PolledKind, number][])
        polled[kind] = (polled[kind] ?? 0) + count;
    return {
      listening: all.some(({ listening }) => listening),
      received: all.reduce((sum, { received }) => sum + received, 0),
      noticed: all.reduce((sum, { noticed }) => sum + noticed, 0),
      polled,
      unnoticed: [...bySource].flatMap(([source, { unnoticed }]) =>
        unnoticed.map((name) => (source === "default" ? name : `${source}: ${name}`)),
      ),
    };
  }

  async close(): Promise<void> {
    for (const { notices, primary } of this.#sources.values()) await Promise.all([notices.close(), primary?.close()]);
  }
}
