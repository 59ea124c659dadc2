import type { Case } from "../engine/contenders.ts";
import type { Load, LoadGenerator, Target } from "../measure/http-load.ts";
import { figure, type Figure, inRounds, percentile, ratio } from "../measure/statistics.ts";
import { number, spread, table } from "../report.ts";
import type { BenchStack } from "./bench-stack.ts";
import type { PlainNginx } from "./plain-nginx.ts";

/** One way to the rows of a case; ratios are to the engine asked directly. */
export interface WayFigures {
  readonly case: string;
  readonly way: string;
  readonly requestsPerSecond: Figure;
  readonly ratio: Figure;
  readonly p50Milliseconds: Figure;
  readonly p99Milliseconds: Figure;
}

export interface Way {
  readonly name: string;
  readonly target: Target;
  readonly reconnect?: boolean;
}

const directly = "engine directly";
export const kept = "gateway, TLS, kept alive";

/** All ways to the rows of a case. */
export function waysTo(asked: Case, stack: BenchStack, plain: PlainNginx): Way[] {
  const headers = { authorization: `Bearer ${stack.token}` };
  const body = JSON.stringify({ query: asked.hasura });
  const through: Target = { ...stack.gateway, method: "POST", path: "/api/graphql", headers, body };
  return [
    { name: directly, target: { ...stack.engine, method: "POST", path: "/v1/graphql", headers, body } },
    { name: kept, target: through },
    { name: "plain nginx, node + pg, kept alive", target: plain.target(asked) },
    { name: "gateway, TLS, new connections", target: through, reconnect: true },
  ];
}

/** Rounds of all ways in turn. The first way is the one that ratios refer to. */
export async function measureWays(
  title: string,
  ways: readonly Way[],
  generator: LoadGenerator,
  rounds: number,
  load: Load,
): Promise<WayFigures[]> {
  const oneRound = async ({ name, target, reconnect }: Way) => {
    const { seconds, latencies, statuses, broken } = await generator.run(target, { ...load, reconnect });
    if (broken > 0 || Object.keys(statuses).some((status) => status !== "200"))
      throw new Error(`${title}, ${name}: ${JSON.stringify(statuses)}, ${broken} connections broken`);
    return { rate: latencies.length / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  };
  const measured = await inRounds(ways, rounds, oneRound);
  const direct = (measured[0] ?? []).map(({ rate }) => rate);
  return ways.map((way, index) => {
    const own = measured[index] ?? [];
    const rates = own.map(({ rate }) => rate);
    return {
      case: title,
      way: way.name,
      requestsPerSecond: figure(rates),
      ratio: ratio(rates, direct),
      p50Milliseconds: figure(own.map(({ p50 }) => p50)),
      p99Milliseconds: figure(own.map(({ p99 }) => p99)),
    };
  });
}

export function wayTable(rows: readonly WayFigures[]): string {
  const line = (row: WayFigures): string[] => [
    row.case,
    row.way,
    spread(row.requestsPerSecond),
    spread(row.ratio),
    number(row.p50Milliseconds.median),
    number(row.p99Milliseconds.median),
  ];
  return table(["case", "way", "requests/s", "of the engine", "p50 ms", "p99 ms"], rows.map(line));
}

/** The gateway's share of a request at half of the rate that it serves at most. */
export interface HalfLoad {
  readonly requestsPerSecond: number;
  readonly addedP50Milliseconds: number;
  readonly addedP99Milliseconds: number;
  /** Processor time of one request through the gateway, in microseconds. */
  readonly gatewayMicroseconds: number;
  readonly engineMicroseconds: number;
}

/** @param most requests a second that the gateway served with kept connections */
export async function measureHalfLoad(
  stack: BenchStack,
  ways: readonly Way[],
  generator: LoadGenerator,
  most: number,
  load: Load,
): Promise<HalfLoad> {
  const rate = Math.floor(most / 2);
  const target = (name: string) => (ways.find((way) => way.name === name) as Way).target;
  const direct = await generator.run(target(directly), { ...load, rate });
  const before = { gateway: await stack.cpuSeconds("gateway"), engine: await stack.cpuSeconds("engine") };
  const through = await generator.run(target(kept), { ...load, rate });
  const after = { gateway: await stack.cpuSeconds("gateway"), engine: await stack.cpuSeconds("engine") };
  const added = (share: number): number => percentile(through.latencies, share) - percentile(direct.latencies, share);
  const perRequest = (service: "gateway" | "engine"): number =>
    ((after[service] - before[service]) / through.latencies.length) * 1e6;
  return {
    requestsPerSecond: rate,
    addedP50Milliseconds: added(0.5),
    addedP99Milliseconds: added(0.99),
    gatewayMicroseconds: perRequest("gateway"),
    engineMicroseconds: perRequest("engine"),
  };
}

export function halfLoadTable(half: HalfLoad): string {
  const row = [
    half.requestsPerSecond,
    half.addedP50Milliseconds,
    half.addedP99Milliseconds,
    half.gatewayMicroseconds,
    half.engineMicroseconds,
  ].map(number);
  return table(["requests/s", "added p50 ms", "added p99 ms", "gateway CPU µs", "engine CPU µs"], [row]);
}
