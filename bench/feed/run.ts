import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BenchDatabase } from "../database.ts";
import type { MeasuredFigure } from "@routeql/tests/harness/figures/figure-records";
import { type Columns, machineNow, number, recordFigures, spread, spreadText, table, writeResults } from "../report.ts";
import { benchLoads, type LoadRow } from "./loads.ts";
import { benchLive, type LiveRow } from "./live.ts";

const sizes = {
  full: { rounds: 5, rows: 500_000, seconds: 600, rates: [5_000] },
  quick: { rounds: 3, rows: 50_000, seconds: 15, rates: [1_000, 5_000] },
};

interface FeedBench {
  readonly quick: boolean;
  readonly only: string;
  readonly record: boolean;
}

/** `npm run bench:feed`: loads of text, of MRT and with 1,000 configured prefixes; live updates until a reader sees them. @returns the path of the results */
export async function benchFeed({ quick, only, record }: FeedBench): Promise<string> {
  const { rounds, rows, seconds, rates } = quick ? sizes.quick : sizes.full;
  const machine = machineNow(quick);
  const folder = await mkdtemp(join(tmpdir(), "routeql-bench-feed-"));
  try {
    await using bench = await BenchDatabase.start();
    const size = { folder, rounds, rows, write: writeFile };
    const loads = "loads".includes(only) ? await benchLoads(bench.container, size) : [];
    if (loads.length > 0) console.log(`${table(loads, loadColumns)}\n`);
    const live: LiveRow[] = [];
    if ("live".includes(only)) for (const rate of rates) live.push(await benchLive(bench.container, rate, seconds));
    if (live.length > 0) console.log(table(live, liveColumns));
    if (record) recordFigures("feed", recorded(loads, live), { bench: "feed", only, ...machine });
    return await writeResults("feed", { ...machine, loads, live });
  } finally {
    await rm(folder, { recursive: true });
  }
}

const loadColumns: Columns<LoadRow> = {
  load: ({ work }) => work,
  "rows a second": ({ perSecond }) => spread(perSecond),
  "time of the first": ({ timeRatio }) => spread(timeRatio),
};

const liveColumns: Columns<LiveRow> = {
  "updates a second": ({ rate }) => number(rate),
  seconds: ({ seconds }) => number(seconds),
  sent: ({ sent }) => number(sent),
  missing: ({ missing }) => String(missing),
  "s to reader, median": ({ median }) => number(median),
  "95 %": ({ p95 }) => number(p95),
  most: ({ most }) => number(most),
  "memory, MiB": ({ memory }) => number(memory),
};

const recorded = (loads: readonly LoadRow[], live: readonly LiveRow[]): Readonly<Record<string, MeasuredFigure>> =>
  Object.fromEntries([
    // The first load is what the others are compared with.
    ...loads
      .slice(1)
      .map(({ work, perSecond, timeRatio }) => [
        `load of ${work}`,
        { figure: `${spreadText(timeRatio)} of the time of text`, note: `${spreadText(perSecond)} rows/s` },
      ]),
    ...live.map(({ rate, seconds, sent, missing, median, p95, most, memory }) => [
      `received to reader, ${rate.toLocaleString("en")} updates/s for ${seconds} s`,
      {
        figure: `p95 ${number(p95)} s`,
        note: `median ${number(median)} s, most ${number(most)} s; ${sent.toLocaleString("en")} sent, ${missing} missing; feed ${number(memory)} MiB`,
      },
    ]),
  ]);
