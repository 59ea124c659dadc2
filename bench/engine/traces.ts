import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import type { LoadGenerator } from "../measure/http-load.ts";
import { alternate, type Figure, figure } from "../measure/statistics.ts";
import { type Contender, startEngine } from "./contenders.ts";
import type { Case, Rounds } from "./queries.ts";

export interface TraceFigures {
  /** Pairs of processes. */
  readonly pairs: number;
  /** Additional processor time for one request with 1 % of the requests traced; one value for each pair. */
  readonly addedPercent: Figure;
  /** Processor time of an engine without traces for one request. */
  readonly cpuMicroseconds: Figure;
  readonly requestsOfPair: Figure;
}

export interface TraceCostOptions {
  readonly databaseUrl: string;
  readonly asked: Case;
  readonly generator: LoadGenerator;
  readonly pairs: number;
  readonly rounds: Rounds;
}

/** Requests of a process before it counts: V8 has compiled the code by then. */
const warmUpRequests = 100_000;

/**
 * Compares an engine that traces 1 % of its requests with one that traces none. Two processes of the same program differ by several percent,
 * because V8 compiles and places code differently, so each pair has new processes. Within a pair short rounds alternate. The time of a process counts from
 * its first round to its last one, so that exports between the rounds count too.
 */
export async function measureTraceCost(options: TraceCostOptions): Promise<TraceFigures> {
  const measured: Pair[] = [];
  for (let index = 0; index < options.pairs; index += 1) measured.push(await onePair(options, index % 2 === 1));
  return {
    pairs: measured.length,
    addedPercent: figure(measured.map(({ plain, traced }) => (traced / plain - 1) * 100)),
    cpuMicroseconds: figure(measured.map(({ plain }) => plain)),
    requestsOfPair: figure(measured.map(({ requests }) => requests)),
  };
}

interface Pair {
  /** Processor microseconds for one request. */
  readonly plain: number;
  readonly traced: number;
  readonly requests: number;
}

async function onePair({ databaseUrl, asked, generator, rounds }: TraceCostOptions, reverse: boolean): Promise<Pair> {
  await using collector = await OtlpReceiver.start();
  await using started = new AsyncDisposableStack();
  const start = async (options: { readonly collector?: string }): Promise<Contender> => {
    const contender = await startEngine({ databaseUrl, ...options });
    started.use(contender.server);
    return contender;
  };
  const plain = await start({});
  const traced = await start({ collector: collector.url });
  const order = reverse ? [traced, plain] : [plain, traced];

  /** @returns the number of answers */
  const load = async (contender: Contender): Promise<number> => {
    const { latencies, statuses, broken } = await generator.run(contender.target(asked), {
      connections: asked.connections,
      milliseconds: rounds.milliseconds,
    });
    if (broken > 0 || Object.keys(statuses).some((status) => status !== "200"))
      throw new Error(`the engine failed: ${JSON.stringify(statuses)}, ${broken} connections broken`);
    return latencies.length;
  };
  for (const contender of order) for (let sent = 0; sent < warmUpRequests;) sent += await load(contender);

  const before = new Map(order.map((contender) => [contender, contender.server.cpuSeconds()]));
  const requests = new Map(order.map((contender) => [contender, 0]));
  for (const contender of alternate(order, rounds.rounds).flat())
    requests.set(contender, requests.get(contender)! + (await load(contender)));
  const microseconds = (contender: Contender): number =>
    ((contender.server.cpuSeconds() - before.get(contender)!) / requests.get(contender)!) * 1e6;
  const pair = { plain: microseconds(plain), traced: microseconds(traced), requests: requests.get(traced)! };
  if (collector.spans.length === 0) throw new Error("the collector received no span");
  console.log(
    `  ${(100 * (pair.traced / pair.plain - 1)).toFixed(2)} % of ${pair.plain.toFixed(1)} us, ${pair.requests} requests, ${collector.spans.length} spans`,
  );
  return pair;
}
