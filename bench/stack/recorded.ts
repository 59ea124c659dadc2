import type { MeasuredFigure } from "@routeql/tests/harness/figures/figure-records";
import { number } from "../report.ts";
import type { LiveWay, StepFigures } from "./end-to-end.ts";
import type { HalfLoad, WayFigures } from "./ways.ts";

export interface StackFigures {
  readonly ways: readonly WayFigures[];
  readonly half: readonly (HalfLoad & { readonly case: string })[];
  readonly live: readonly LiveWay[];
  readonly steps: readonly StepFigures[];
  readonly loadRowsPerSecond: number;
  readonly upSeconds: number;
}

type Figures = Readonly<Record<string, MeasuredFigure>>;

/** The figures by record of docs/reference/figures.md. */
export function recordedFigures({
  ways,
  half,
  live,
  steps,
  loadRowsPerSecond,
  upSeconds,
}: StackFigures): Readonly<Record<"stack" | "end-to-end", Figures>> {
  const ofWays = ways
    .filter(({ ratio, way }) => Number.isFinite(ratio.median) && way !== "engine directly")
    .map((row) => ({
      what: `${row.case}: ${row.way}`,
      figure: `${number(row.ratio.median)} (${number(row.ratio.least)} to ${number(row.ratio.most)}), p99 ${number(row.p99Milliseconds.median)} ms`,
    }));
  const ofHalf = half.map((row) => ({
    what: `${row.case}: added latency at half load`,
    figure: `p50 ${number(row.addedP50Milliseconds)} ms, p99 ${number(row.addedP99Milliseconds)} ms`,
    note: `processor time of gateway ${number(row.gatewayMicroseconds)} µs, engine ${number(row.engineMicroseconds)} µs`,
  }));
  const ofLive = live.map((row) => ({
    what: `change to client, ${row.subscribers.toLocaleString("en")} subscribers: ${row.way}`,
    figure: `p50 ${number(row.p50Milliseconds)} ms, p95 ${number(row.p95Milliseconds)} ms`,
    note: `${row.missing} messages missing`,
  }));
  const ofSteps = steps.map((row) => ({
    what: row.step,
    figure: `p50 ${number(row.p50Milliseconds)} ms, p95 ${number(row.p95Milliseconds)} ms`,
  }));
  const byName = (rows: readonly (MeasuredFigure & { readonly what: string })[]): Figures =>
    Object.fromEntries(rows.map(({ what, ...figure }) => [what, figure]));
  return {
    stack: byName([...ofWays, ...ofHalf, ...ofLive]),
    "end-to-end": byName([
      ...ofSteps,
      { what: "load of generated updates", figure: `${number(loadRowsPerSecond)} rows/s` },
      { what: "start of a stack", figure: `${number(upSeconds)} s`, note: "images present" },
    ]),
  };
}
