import { resolve } from "node:path";
import { bringUpOwn, takeDownOwn } from "@routeql/tests/e2e/support/stack/own-stack";
import { mustRun } from "@routeql/tests/harness/process";
import { newest } from "../engine/queries.ts";
import { LoadGenerator } from "../measure/http-load.ts";
import { number, recordFigures, machineNow, table, writeResults } from "../report.ts";
import { openStack } from "./bench-stack.ts";
import { liveColumns, measureEndToEnd, measureLiveWays, stepColumns } from "./end-to-end.ts";
import { halfLoadColumns, kept, measureHalfLoad, measureWays, type WayFigures, waysTo, wayColumns } from "./ways.ts";
import { startPlainNginx } from "./plain-nginx.ts";
import { recordedFigures, type StackFigures } from "./recorded.ts";

export interface StackBench {
  readonly quick: boolean;
  /** Only parts whose name contains this: `10 rows`, `1,000 rows`, `live queries`, `end to end`. */
  readonly only: string;
  /** Writes the figures for docs/reference/figures.md. */
  readonly record: boolean;
}

const name = "bench";
const repository = resolve(import.meta.dirname, "../..");
const sizes = {
  full: { rounds: 5, milliseconds: 2_500, updates: 100_000, subscribers: 10_000, changes: 10 },
  quick: { rounds: 2, milliseconds: 1_000, updates: 20_000, subscribers: 1_000, changes: 5 },
};

/** All clients share one address, so the limits per address are high. */
const settings = {
  requestsPerSecondPerAddress: "100000",
  requestBurst: "100000",
  connectionsPerAddress: "10000",
  tokenLifeSeconds: "3600",
};

/** `npm run bench:stack`. Returns the path of the results. */
export async function benchStack({ quick, only, record }: StackBench): Promise<string> {
  const { rounds, milliseconds, updates, subscribers, changes } = quick ? sizes.quick : sizes.full;
  const conditions = machineNow(quick);
  const show = (text: string): void => console.log(`\n${text}`);
  try {
    const up = await seconds(() => bringUpOwn(name, settings));
    const load = await seconds(() =>
      mustRun(process.execPath, ["cli/main.ts", "load", "--stack", name, "--demo", String(updates)], {
        cwd: repository,
      }),
    );
    await using started = new AsyncDisposableStack();
    const stack = await openStack(name, started);
    const cases = [newest(10), newest(1_000)].filter((asked) => asked.name.includes(only));
    const ways: WayFigures[] = [];
    const half: StackFigures["half"][number][] = [];
    if (cases.length > 0) {
      await using generator = new LoadGenerator();
      const plain = await startPlainNginx(stack, cases, started);
      for (const asked of cases) {
        const all = waysTo(asked, stack, plain(asked));
        const own = await measureWays(asked.name, all, generator, rounds, {
          connections: asked.connections,
          milliseconds,
        });
        show(table(own, wayColumns));
        const most = own.find(({ way }) => way === kept)?.requestsPerSecond.median ?? 0;
        const atHalf = await measureHalfLoad(stack, all, generator, most, {
          connections: asked.connections,
          milliseconds: 2 * milliseconds,
        });
        show(table([atHalf], halfLoadColumns));
        ways.push(...own);
        half.push({ case: asked.name, ...atHalf });
      }
    }
    const steps = "end to end".includes(only) ? await measureEndToEnd(stack, quick) : [];
    if (steps.length > 0) show(table(steps, stepColumns));
    const live = "live queries".includes(only) ? await measureLiveWays(stack, subscribers, changes) : [];
    if (live.length > 0) show(table(live, liveColumns));
    const figures: StackFigures = { ways, half, live, steps, loadRowsPerSecond: updates / load, upSeconds: up };
    show(`up: ${number(up)} s; load: ${number(figures.loadRowsPerSecond)} rows/s`);
    if (record)
      for (const [name, measured] of Object.entries(recordedFigures(figures)))
        recordFigures(name, measured, { bench: "stack", quick, only, loadBefore: conditions.loadBefore });
    return await writeResults("stack", { ...conditions, ...figures });
  } finally {
    await takeDownOwn(name);
  }
}

async function seconds(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return (performance.now() - start) / 1000;
}
