import { number } from "../report.ts";
import type { LiveWay, StepFigures } from "./end-to-end.ts";
import type { HalfLoad, WayFigures } from "./ways.ts";

export interface StackFigures {
  readonly quick: boolean;
  /** Load average of one minute before the run. */
  readonly loadBefore: number;
  readonly ways: readonly WayFigures[];
  readonly half: readonly (HalfLoad & { readonly case: string })[];
  readonly live: readonly LiveWay[];
  readonly steps: readonly StepFigures[];
  readonly loadRowsPerSecond: number;
  readonly upSeconds: number;
}

interface FigureGroup {
  readonly title: string;
  readonly source: string;
  readonly figures: readonly { readonly what: string; readonly figure: string; readonly source?: string }[];
}

/** The figures as groups of docs/reference/figures.md. */
export function recordedGroups({
  quick,
  loadBefore,
  ways,
  half,
  live,
  steps,
  loadRowsPerSecond,
  upSeconds,
}: StackFigures): FigureGroup[] {
  const command = `\`npm run bench:stack -- ${quick ? "--quick " : ""}--record\``;
  const load = `load average before the run ${number(loadBefore)}`;
  const ofWays = ways
    .filter(({ ratio, way }) => Number.isFinite(ratio.median) && way !== "engine directly")
    .map((row) => ({
      what: `${row.case}: ${row.way}`,
      figure: `${number(row.ratio.median)} (${number(row.ratio.least)} to ${number(row.ratio.most)}), p99 ${number(row.p99Milliseconds.median)} ms`,
    }));
  const ofHalf = half.map((row) => ({
    what: `${row.case}: added latency at half load`,
    figure: `p50 ${number(row.addedP50Milliseconds)} ms, p99 ${number(row.addedP99Milliseconds)} ms`,
    source: `processor time of gateway ${number(row.gatewayMicroseconds)} µs, engine ${number(row.engineMicroseconds)} µs`,
  }));
  const ofLive = live.map((row) => ({
    what: `change to client, ${row.subscribers.toLocaleString("en")} subscribers: ${row.way}`,
    figure: `p50 ${number(row.p50Milliseconds)} ms, p95 ${number(row.p95Milliseconds)} ms`,
    source: `${row.missing} messages missing`,
  }));
  const ofSteps = steps.map((row) => ({
    what: row.step,
    figure: `p50 ${number(row.p50Milliseconds)} ms, p95 ${number(row.p95Milliseconds)} ms`,
  }));
  return [
    {
      title: "Whole stack",
      source: `${command}, through the gateway over TLS; requests/s as a ratio to the engine asked directly; ${load}`,
      figures: [...ofWays, ...ofHalf, ...ofLive],
    },
    {
      title: "End to end",
      source: `${command}, one client through the gateway over TLS; ${load}`,
      figures: [
        ...ofSteps,
        { what: "load of generated updates", figure: `${number(loadRowsPerSecond)} rows/s` },
        { what: "start of a stack", figure: `${number(upSeconds)} s`, source: "images present" },
      ],
    },
  ];
}
