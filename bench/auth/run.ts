import { figure, type Figure, inRounds, percentile, ratio } from "../measure/statistics.ts";
import { leaveContenderCore } from "../measure/server-process.ts";
import { LoadGenerator, type LoadResult, type Target } from "../measure/http-load.ts";
import { number, spread, surroundings, table, writeResults } from "../report.ts";
import { Primitives } from "./primitives.ts";
import { type BenchSidecar, startBenchSidecar } from "./sidecar.ts";

export interface AuthBench {
  readonly quick: boolean;
  /** Only benchmarks whose name contains this: `tokens`, `logins`. */
  readonly only: string;
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

interface Round {
  readonly rate: number;
  readonly cpu: number;
  readonly p50?: number;
  readonly p99?: number;
}

interface Competitor {
  readonly work: string;
  readonly round: (milliseconds: number) => Promise<Round>;
}

const sizes = {
  full: { rounds: 5, milliseconds: 3_000, warming: 15_000, overload: 10_000 },
  quick: { rounds: 3, milliseconds: 1_500, warming: 3_000, overload: 5_000 },
};

/** Concurrent connections that request tokens. */
const clients = 64;
/** Connections under three times the load: enough that requests wait in the sidecar, not for a connection. */
const crowd = 4_000;
/** The sidecar's default number of concurrent hashes. */
const hashConcurrency = 2;

/** `npm run bench:auth`. Returns the path of the results. */
export async function benchAuth({ quick, only }: AuthBench): Promise<string> {
  const { rounds, milliseconds, warming, overload } = quick ? sizes.quick : sizes.full;
  const conditions = surroundings(quick);
  using _core = leaveContenderCore();
  await using sidecar = await startBenchSidecar();
  await using generator = new LoadGenerator();
  await using primitives = await Primitives.start();
  const overHttp = (work: string, target: Target, connections: number): Competitor => ({
    work,
    round: (duration) => httpRound(sidecar, generator, target, connections, duration),
  });
  const alone = (work: string, primitive: "sign" | "hash", concurrency: number): Competitor => ({
    work,
    round: async (duration) => {
      const { operations, seconds, cpuSeconds } = await primitives.run({
        primitive,
        concurrency,
        milliseconds: duration,
      });
      return { rate: operations / seconds, cpu: (cpuSeconds / operations) * 1e6 };
    },
  });
  const tables: WorkFigures[][] = [];
  const overloads: OverloadFigures[] = [];
  const compare = async (name: string, competitors: readonly Competitor[], target: Target): Promise<void> => {
    if (!name.includes(only)) return;
    const figures = await measure(competitors, { rounds, milliseconds, warming });
    tables.push(figures);
    console.log(`\n${workTable(name, figures)}`);
    const held = figures.find(({ work }) => work === name)?.perSecond.median ?? 0;
    overloads.push(await overloadOf(name, generator, target, held * 3, overload));
    console.log(`\n${overloadTable(overloads.slice(-1))}`);
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
  return await writeResults("auth", { ...conditions, work: tables.flat(), overload: overloads, residentMegabytes });
}

async function httpRound(
  { server }: BenchSidecar,
  generator: LoadGenerator,
  target: Target,
  connections: number,
  milliseconds: number,
): Promise<Round> {
  const before = server.cpuSeconds();
  const { seconds, latencies, statuses, broken } = await generator.run(target, { connections, milliseconds });
  if (broken > 0 || Object.keys(statuses).some((status) => status !== "200")) {
    throw new Error(`${target.path}: ${JSON.stringify(statuses)}, ${broken} connections broken`);
  }
  const cpu = ((server.cpuSeconds() - before) / latencies.length) * 1e6;
  return { rate: latencies.length / seconds, cpu, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
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
  const [first = []] = measured;
  return competitors.map((competitor, index) => {
    const own = measured[index] ?? [];
    const rates = own.map(({ rate }) => rate);
    const cpus = own.map(({ cpu }) => cpu);
    const latency = (read: (round: Round) => number | undefined): Figure | undefined => {
      const values = own.flatMap((round) => read(round) ?? []);
      return values.length === 0 ? undefined : figure(values);
    };
    return {
      work: competitor.work,
      perSecond: figure(rates),
      ratio: ratio(
        rates,
        first.map(({ rate }) => rate),
      ),
      cpuMicroseconds: figure(cpus),
      cpuRatio: ratio(
        first.map(({ cpu }) => cpu),
        cpus,
      ),
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

function workTable(name: string, rows: readonly WorkFigures[]): string {
  const line = (row: WorkFigures): string[] => [
    row.work,
    "",
    spread(row.perSecond),
    spread(row.ratio),
    number(row.cpuMicroseconds.median),
    number(row.cpuRatio.median),
    number(row.p50Milliseconds?.median ?? Number.NaN),
    number(row.p99Milliseconds?.median ?? Number.NaN),
  ];
  return table([name, "", "a second", "of the first", "CPU µs", "by CPU", "p50 ms", "p99 ms"], rows.map(line));
}

function overloadTable(rows: readonly OverloadFigures[]): string {
  const line = (row: OverloadFigures): string[] => [
    row.work,
    JSON.stringify(row.statuses),
    number(row.offeredPerSecond),
    number(row.answeredPerSecond),
    number(row.p99Milliseconds),
    number(row.refusedPerSecond),
    number(row.refusalP99Milliseconds),
    number(row.answerP99Milliseconds),
  ];
  return table(
    [
      "three times the load",
      "answers",
      "offered/s",
      "answered/s",
      "p99 ms",
      "refused/s",
      "p99 ms of refusals",
      "p99 ms from sending",
    ],
    rows.map(line),
  );
}
