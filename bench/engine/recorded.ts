import type { MeasuredFigure } from "@routeql/tests/harness/figures/figure-records";
import type { Figure } from "../measure/statistics.ts";
import { number, spreadText } from "../report.ts";
import type { LiveFigures } from "./live.ts";
import type { LoadFigures } from "./loads.ts";
import type { Price } from "./price.ts";
import type { QueryFigures } from "./queries.ts";

type Figures = Readonly<Record<string, MeasuredFigure>>;

const byName = (rows: readonly (readonly [what: string, MeasuredFigure])[]): Figures => Object.fromEntries(rows);

/** Of the record `engine`. @param queries of the baseline and the engine */
export function recordedQueries(queries: readonly QueryFigures[]): Figures {
  const baselines = new Map(queries.filter(({ server }) => server === "baseline").map((row) => [row.case, row]));
  return byName(
    queries
      .filter(({ server }) => server !== "baseline")
      .map((row) => [
        `${row.case}, requests/s`,
        {
          figure: `${spreadText(row.ratio)} of the baseline`,
          note: [
            `p99 ${number(row.p99Ratio.median)}`,
            `processor time ${number(row.cpuMicroseconds.median)} µs against ${number(baselines.get(row.case)?.cpuMicroseconds.median ?? Number.NaN)}`,
            `of Postgres ${number(row.postgresCpuMicroseconds.median)} against ${number(baselines.get(row.case)?.postgresCpuMicroseconds.median ?? Number.NaN)}`,
            `${number(row.residentMegabytes.median)} MB`,
          ].join("; "),
        },
      ]),
  );
}

export const recordedMemory = (engine: Figure, baseline: Figure): Figures => ({
  "memory at rest": { figure: `${spreadText(engine)} MB`, note: `baseline ${number(baseline.median)} MB` },
});

export const recordedReady = (ready: Figure | undefined): Figures =>
  ready === undefined ? {} : { "ready with 50 tables": { figure: `${spreadText(ready)} ms` } };

/** @param condition of the idle figures */
export const recordedLive = (live: readonly LiveFigures[], condition?: string): Figures =>
  byName(
    live.map((row) => [
      `change to client, ${number(row.subscribers).replace(/\.0+$/, "")} subscribers: ${row.server}`,
      {
        figure: `p95 ${spreadText(row.p95Milliseconds)} ms`,
        note: [
          `idle ${number(row.idleStatements)} statements in 10 s, ${number(100 * row.idleCpu)} % of a core, Postgres ${number(100 * row.idlePostgresCpu)} %`,
          `${number(row.residentMegabytes)} MB`,
          `${row.missing} missing`,
          ...(condition === undefined ? [] : [condition]),
        ].join("; "),
      },
    ]),
  );

export function recordedLoads(loads: LoadFigures | undefined): Figures {
  if (loads === undefined) return {};
  const ofPolling = (figure: Figure): MeasuredFigure => ({ figure: `${spreadText(figure)} of polling` });
  return {
    "push: rate of a load": ofPolling(loads.loaded),
    "push: 16 writers of single rows": ofPolling(loads.written),
    "push: processor time of engine and Postgres while 5,000 updates a second are loaded": {
      ...ofPolling(loads.processor),
      note: `change to client p95 ${number(loads.pushP95Milliseconds.median)} ms, polling ${number(loads.pollP95Milliseconds.median)} ms`,
    },
  };
}

/** Of the record `engine-price`. */
export const recordedPrices = (prices: readonly Price[]): Figures =>
  byName(prices.map(({ part, microseconds }) => [part, { figure: `${number(microseconds)} µs` }]));

/** Of the record `beside-hasura`. */
export const recordedBesideHasura = (queries: readonly QueryFigures[]): Figures =>
  byName(
    queries
      .filter(({ server }) => server !== "Hasura")
      .map((row) => [
        `${row.case}: ${row.server}`,
        { figure: spreadText(row.ratio), note: `p99 ${number(row.p99Ratio.median)} of Hasura's` },
      ]),
  );
