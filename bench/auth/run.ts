import type { MeasuredFigure } from "@routeql/tests/harness/figures/figure-records";
import { figure, type Figure, inRounds, percentile, ratio } from "../measure/statistics.ts";
import { HelperProcess } from "../measure/helper-process.ts";
import { contenderCore, leaveContenderCore, onCore } from "../measure/server-process.ts";
import { LoadGenerator, type LoadResult, type Target } from "../measure/http-load.ts";
import { type Columns, number, recordFigures, spread, spreadText, machineNow, table, writeResults } from "../report.ts";
import type { PrimitiveResult, PrimitiveWork } from "./primitive-process.ts";
import { startBenchSidecar } from "./sidecar.ts";

export interface AuthBench {
  readonly quick: boolean;
  /** Only benchmarks whose name contains this: `tokens`, `logins`. */
  readonly only: string;
  /** Writes the figures for docs/reference/figures.md. */
  readonly record: boolean;
}

/** Rate of an operation, and its cost in the process that runs it. */
interface WorkFigures {
  readonly work: string;
  readonly perSecond: Figure;
  /** Ratio to the first row of its table. */
  readonly ratio: Figure;
  readonly cpuMicroseconds: Figure;
  /** Ratio of the first row's processor time to this one's. */
  readonly cpuRatio: Figure;
  readonly p50Milliseconds?: Figure;
  readonly p99Milliseconds?: Figure;
}

interface OverloadFigures {
  readonly work: string;
  readonly offeredPerSecond: number;
  readonly answeredPerSecond: number;
  /** Durations of answers with status 200, from the time when the request was due. */
  readonly p99Milliseconds: number;
  readonly refusedPerSecond: number;
  readonly refusalP99Milliseconds: number;
  /** Durations of all answers, from sending the request, without the wait for one of the client's connections. */
  readonly answerP99Milliseconds: number;
  readonly statuses: LoadResult["statuses"];
}

interface WorkRound {
  readonly rate: number;
  readonly cpu: number;
  readonly p50?: number;
  readonly p99?: number;
}

interface Competitor {
  readonly work: string;
  readonly round: (milliseconds: number) => Promise<WorkRound>;
}

const sizes = {
  full: { rounds: 5, milliseconds: 3_000, warming: 15_000, overload: 10_000 },
  quick: { rounds: 3, milliseconds: 1_500, warming: 3_000, overload: 5_000 },
};

const clients = 64;
/** Connections under three times the load: enough that requests wait in the sidecar, not for a connection. */
const crowd = 4_000;
/** The sidecar's default number of concurrent hashes. */
const hashConcurrency = 2;

/** `npm run bench:auth`. Returns the path of the results. */
export async function benchAuth({ quick, only, record }: AuthBench): Promise<string> {
  const { rounds, milliseconds, warming, overload } = quick ? sizes.quick : sizes.full;
  const conditions = machineNow(quick);
  using _core = leaveContenderCore();
  await using sidecar = await startBenchSidecar();
  await using generator = new LoadGenerator();
  const [execPath, ...words] = onCore(contenderCore);
  await using primitives = new HelperProcess("auth/primitive-process.ts", {
    execPath,
    execArgv: [...words, process.execPath],
    env: { PATH: process.env["PATH"], NODE_ENV: "production" },
  });
  const overHttp = (work: string, target: Target, connections: number): Competitor => ({
    work,
    round: async (duration) => {
      const before = sidecar.server.cpuSeconds();
      const round = await generator.round(target.path, target, { connections, milliseconds: duration });
      return { ...round, cpu: ((sidecar.server.cpuSeconds() - before) / round.answers) * 1e6 };
    },
  });
  const alone = (work: string, primitive: PrimitiveWork["primitive"], concurrency: number): Competitor => ({
    work,
    round: async (milliseconds) => {
      const asked: PrimitiveWork = { primitive, concurrency, milliseconds };
      const { operations, seconds, cpuSeconds } = await primitives.ask<PrimitiveResult>(asked);
      return { rate: operations / seconds, cpu: (cpuSeconds / operations) * 1e6 };
    },
  });
  const tables: WorkFigures[][] = [];
  const overloads: OverloadFigures[] = [];
  const compare = async (name: string, competitors: readonly Competitor[], target: Target): Promise<void> => {
    if (!name.includes(only)) return;
    const figures = await measure(competitors, { rounds, milliseconds, warming });
    tables.push(figures);
    console.log(`\n${table(figures, workColumns(name))}`);
    const held = figures.find(({ work }) => work === name)?.perSecond.median ?? 0;
    overloads.push(await overloadOf(name, generator, target, held * 3, overload));
    console.log(`\n${table(overloads.slice(-1), overloadColumns)}`);
  };
  await compare(
    "tokens",
    [
      overHttp("empty answers", sidecar.empty, clients),
      overHttp("tokens", sidecar.token, clients),
      alone("ES256 signatures alone", "sign", 1),
    ],
    sidecar.token,
  );
  await compare(
    "logins",
    [alone("argon2id alone", "hash", hashConcurrency), overHttp("logins", sidecar.login, 2 * hashConcurrency)],
    sidecar.login,
  );
  const residentMegabytes = sidecar.server.residentMegabytes();
  if (record) {
    const { loadBefore } = conditions;
    recordFigures("auth-sidecar", recordedFigures(tables, overloads), { bench: "auth", quick, only, loadBefore });
  }
  return await writeResults("auth", { ...conditions, work: tables.flat(), overload: overloads, residentMegabytes });
}

function recordedFigures(
  tables: readonly (readonly WorkFigures[])[],
  overloads: readonly OverloadFigures[],
): Readonly<Record<string, MeasuredFigure>> {
  const works = tables.flatMap(([first, ...others]) =>
    others.map(({ work, perSecond, ratio }) => [
      work,
      { figure: `${number(perSecond.median)}/s; ${spreadText(ratio)} of ${first?.work}` },
    ]),
  );
  const crowds = overloads.map((row) => [
    `${row.work} at three times the load`,
    {
      figure: `${number(row.answeredPerSecond)}/s answered, ${number(row.refusedPerSecond)}/s rejected`,
      note: `p99 from sending ${number(row.answerP99Milliseconds)} ms`,
    },
  ]);
  return Object.fromEntries([...works, ...crowds]) as Readonly<Record<string, MeasuredFigure>>;
}

interface Durations {
  readonly rounds: number;
  readonly milliseconds: number;
  /** Duration of the first round of each, which does not count: code that runs a hundred times per second takes that long until it is compiled. */
  readonly warming: number;
}

async function measure(
  competitors: readonly Competitor[],
  { rounds, milliseconds, warming }: Durations,
): Promise<WorkFigures[]> {
  const measured = await inRounds(competitors, rounds, ({ round }, isWarmUp) =>
    round(isWarmUp ? warming : milliseconds),
  );
  const first = measured[0]!;
  return competitors.map(({ work }, index) => {
    const own = measured[index]!;
    const latency = (read: (round: WorkRound) => number | undefined): Figure | undefined => {
      const values = own.flatMap((round) => read(round) ?? []);
      return values.length === 0 ? undefined : figure(values);
    };
    return {
      work,
      perSecond: figure(own.map(({ rate }) => rate)),
      ratio: ratio(own, first, ({ rate }) => rate),
      cpuMicroseconds: figure(own.map(({ cpu }) => cpu)),
      cpuRatio: ratio(first, own, ({ cpu }) => cpu),
      p50Milliseconds: latency(({ p50 }) => p50),
      p99Milliseconds: latency(({ p99 }) => p99),
    };
  });
}

/** Sends requests at a fixed rate, even if the sidecar falls behind. */
async function overloadOf(
  work: string,
  generator: LoadGenerator,
  target: Target,
  rate: number,
  milliseconds: number,
): Promise<OverloadFigures> {
  const { seconds, latencies, refusalLatencies, answerTimes, statuses } = await generator.run(target, {
    connections: crowd,
    milliseconds,
    rate,
  });
  return {
    work,
    offeredPerSecond: rate,
    answeredPerSecond: (statuses[200] ?? 0) / seconds,
    p99Milliseconds: percentile(latencies, 0.99),
    refusedPerSecond: refusalLatencies.length / seconds,
    refusalP99Milliseconds: percentile(refusalLatencies, 0.99),
    answerP99Milliseconds: percentile(answerTimes, 0.99),
    statuses,
  };
}

const workColumns = (name: string): Columns<WorkFigures> => ({
  [name]: (row) => row.work,
  "": () => "",
  "a second": (row) => spread(row.perSecond),
  "of the first": (row) => spread(row.ratio),
  "CPU µs": (row) => number(row.cpuMicroseconds.median),
  "by CPU": (row) => number(row.cpuRatio.median),
  "p50 ms": (row) => number(row.p50Milliseconds?.median ?? Number.NaN),
  "p99 ms": (row) => number(row.p99Milliseconds?.median ?? Number.NaN),
});

const overloadColumns: Columns<OverloadFigures> = {
  "three times the load": (row) => row.work,
  answers: (row) => JSON.stringify(row.statuses),
  "offered/s": (row) => number(row.offeredPerSecond),
  "answered/s": (row) => number(row.answeredPerSecond),
  "p99 ms": (row) => number(row.p99Milliseconds),
  "refused/s": (row) => number(row.refusedPerSecond),
  "p99 ms of refusals": (row) => number(row.refusalP99Milliseconds),
  "p99 ms from sending": (row) => number(row.answerP99Milliseconds),
};
