import type { LoadGenerator } from "../measure/http-load.ts";
import { alternate } from "../measure/statistics.ts";
import { type Case, type Contender, type EngineOptions, startEngine } from "./contenders.ts";
import type { Rounds } from "./queries.ts";

/** Results of an engine in a pair. */
export interface Side {
  /** Processor time for one request. */
  readonly microseconds: number;
  readonly requests: number;
}

/** Two engines that had the same load for the same time. */
export interface Pair {
  readonly first: Side;
  readonly second: Side;
}

export interface PairsOptions {
  /** The engines differ in this. */
  readonly first: EngineOptions;
  readonly second: EngineOptions;
  readonly asked: Case;
  readonly generator: LoadGenerator;
  readonly pairs: number;
  readonly rounds: Rounds;
}

/** Time of load before a process counts: V8 has compiled the code by then. */
const warmUpMilliseconds = 20_000;

/**
 * Compares two engines. Two processes of the same program differ by several percent, because V8 compiles and places code differently, so each
 * pair has new processes. Within a pair short rounds alternate. The time of a process counts from its first round to its last one, so that
 * work between the rounds counts too.
 */
export async function comparePairs(options: PairsOptions): Promise<Pair[]> {
  const measured: Pair[] = [];
  for (let index = 0; index < options.pairs; index += 1) {
    const pair = await onePair(options, index % 2 === 1);
    measured.push(pair);
    console.log(
      `  ${options.asked.name}: ${addedPercent(pair).toFixed(1)} % of ${pair.first.microseconds.toFixed(1)} µs, ${pair.second.requests} requests`,
    );
  }
  return measured;
}

/** Additional processor time for one request of the second engine. */
export const addedPercent = ({ first, second }: Pair): number => (second.microseconds / first.microseconds - 1) * 100;

async function onePair({ asked, generator, rounds, ...sides }: PairsOptions, reverse: boolean): Promise<Pair> {
  await using started = new AsyncDisposableStack();
  const start = async (options: EngineOptions): Promise<Contender> => {
    const contender = await startEngine(options);
    started.use(contender.server);
    return contender;
  };
  const first = await start(sides.first);
  const second = await start(sides.second);
  const order = reverse ? [second, first] : [first, second];

  /** Returns the number of answers. */
  const load = async (contender: Contender, milliseconds: number): Promise<number> => {
    const { latencies, statuses, broken } = await generator.run(contender.target(asked), {
      connections: asked.connections,
      milliseconds,
    });
    if (broken > 0 || Object.keys(statuses).some((status) => status !== "200"))
      throw new Error(`the engine failed: ${JSON.stringify(statuses)}, ${broken} connections broken`);
    return latencies.length;
  };
  for (const contender of order) await load(contender, warmUpMilliseconds);

  const before = new Map(order.map((contender) => [contender, contender.server.cpuSeconds()]));
  const requests = new Map(order.map((contender) => [contender, 0]));
  for (const contender of alternate(order, rounds.rounds).flat())
    requests.set(contender, requests.get(contender)! + (await load(contender, rounds.milliseconds)));
  const side = (contender: Contender): Side => ({
    microseconds: ((contender.server.cpuSeconds() - before.get(contender)!) / requests.get(contender)!) * 1e6,
    requests: requests.get(contender)!,
  });
  return { first: side(first), second: side(second) };
}
