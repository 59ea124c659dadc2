import type { BenchDatabase } from "../data/bench-database.ts";
import { alternate } from "../measure/alternate.ts";
import type { LoadGenerator } from "../measure/load-generator.ts";
import { type Figure, figure, percentile, ratio } from "../measure/statistics.ts";
import type { Case } from "./cases.ts";
import type { Contender } from "./contenders.ts";

/** The load generator, and the processes that answer behind the servers. */
export interface Bench {
  readonly generator: LoadGenerator;
  readonly database: Pick<BenchDatabase, "cpuSeconds">;
}

export interface Rounds {
  readonly rounds: number;
  readonly milliseconds: number;
}

/** Result of one contender for one case; ratios are to the baseline of the same round. */
export interface QueryFigures {
  readonly case: string;
  readonly server: Contender["name"];
  readonly requestsPerSecond: Figure;
  readonly ratio: Figure;
  readonly p50Milliseconds: Figure;
  readonly p99Milliseconds: Figure;
  readonly p99Ratio: Figure;
  /** Processor time of the server's process alone: the stable measure on a machine with other load. */
  readonly cpuMicroseconds: Figure;
  /** Processor time of Postgres. Together with the server's it decides the rate if both share the processors. */
  readonly postgresCpuMicroseconds: Figure;
  readonly residentMegabytes: Figure;
}

interface Round {
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpu: number;
  readonly postgresCpu: number;
  readonly resident: number;
}

/**
 * Measures the contenders for one case in alternating rounds; the first one is the baseline.
 * @throws if an answer is not 200
 */
export async function measureQueries(
  asked: Case,
  contenders: readonly Contender[],
  bench: Bench,
  { rounds, milliseconds }: Rounds,
): Promise<QueryFigures[]> {
  const measured = new Map<Contender, Round[]>(contenders.map((contender) => [contender, []]));
  for (const contender of contenders) await oneRound(contender, asked, bench, milliseconds / 2); // Warm-up.
  for (const order of alternate(contenders, rounds)) {
    for (const contender of order) measured.get(contender)?.push(await oneRound(contender, asked, bench, milliseconds));
  }
  const baseline = measured.get(contenders[0] as Contender) ?? [];
  return contenders.map((contender) => {
    const own = measured.get(contender) ?? [];
    const all = (read: (round: Round) => number): number[] => own.map(read);
    const base = (read: (round: Round) => number): number[] => baseline.map(read);
    return {
      case: asked.name,
      server: contender.name,
      requestsPerSecond: figure(all(({ rate }) => rate)),
      ratio: ratio(
        all(({ rate }) => rate),
        base(({ rate }) => rate),
      ),
      p50Milliseconds: figure(all(({ p50 }) => p50)),
      p99Milliseconds: figure(all(({ p99 }) => p99)),
      p99Ratio: ratio(
        all(({ p99 }) => p99),
        base(({ p99 }) => p99),
      ),
      cpuMicroseconds: figure(all(({ cpu }) => cpu)),
      postgresCpuMicroseconds: figure(all(({ postgresCpu }) => postgresCpu)),
      residentMegabytes: figure(all(({ resident }) => resident)),
    };
  });
}

async function oneRound(
  contender: Contender,
  asked: Case,
  { generator, database }: Bench,
  milliseconds: number,
): Promise<Round> {
  const before = contender.server.cpuSeconds();
  const postgresBefore = await database.cpuSeconds();
  const { seconds, latencies, statuses, broken } = await generator.run(contender.target(asked), {
    connections: asked.connections,
    milliseconds,
  });
  if (broken > 0 || Object.keys(statuses).some((status) => status !== "200")) {
    throw new Error(
      `${contender.name} failed at ${asked.name}: ${JSON.stringify(statuses)}, ${broken} connections broken`,
    );
  }
  const postgresCpu = (((await database.cpuSeconds()) - postgresBefore) / latencies.length) * 1e6;
  return {
    postgresCpu,
    rate: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: ((contender.server.cpuSeconds() - before) / latencies.length) * 1e6,
    resident: contender.server.residentMegabytes(),
  };
}

/** @throws if a contender's answer has fewer rows than the baseline's */
export async function checkAnswers(asked: Case, contenders: readonly Contender[]): Promise<void> {
  let expected: string | undefined;
  for (const contender of contenders) {
    const { port, path, headers, body } = contender.target(asked);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
    });
    const text = await response.text();
    const shape = JSON.stringify(shapeOf(JSON.parse(text)));
    expected ??= shape;
    if (!response.ok || text.includes('"errors"'))
      throw new Error(`${contender.name} answers ${asked.name} with ${text.slice(0, 500)}`);
    if (shape !== expected)
      throw new Error(`${contender.name} answers ${asked.name} with ${shape}, not with ${expected}`);
  }
}

/** Lengths of the lists and the counts in an answer, for any names; lists of values within one row are ignored. */
function shapeOf(answer: unknown): unknown[] {
  if (Array.isArray(answer)) {
    return answer.length > 0 &&
      answer.every((item) => typeof item === "object" && item !== null && !Array.isArray(item))
      ? [answer.length, ...answer.flatMap(shapeOf)]
      : [];
  }
  if (typeof answer !== "object" || answer === null) return [];
  return Object.entries(answer).flatMap(([name, value]) =>
    /^(?:count|totalCount)$/.test(name) ? [value] : shapeOf(value),
  );
}
