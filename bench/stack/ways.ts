import type { Case } from "../engine/contenders.ts";
import type { Load, LoadGenerator, Target } from "../measure/http-load.ts";
import { figure, type Figure, inRounds, percentile, ratio } from "../measure/statistics.ts";
import { type Columns, number, spread } from "../report.ts";
import { type BenchStack, cpuSecondsOf } from "./bench-stack.ts";

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

/** All ways to the rows of a case. @param plain the setup by hand */
export function waysTo(asked: Case, stack: BenchStack, plain: Target): Way[] {
  const headers = { authorization: `Bearer ${stack.token}` };
  const body = JSON.stringify({ query: asked.hasura });
  const through: Target = { ...stack.gateway, method: "POST", path: "/api/graphql", headers, body };
  return [
    { name: directly, target: { ...stack.engine, method: "POST", path: "/v1/graphql", headers, body } },
    { name: kept, target: through },
    { name: "plain nginx, node + pg, kept alive", target: plain },
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
  const measured = await inRounds(ways, rounds, ({ name, target, reconnect }) =>
    generator.round(`${title}, ${name}`, target, { ...load, reconnect }),
  );
  return ways.map((way, index) => {
    const own = measured[index]!;
    return {
      case: title,
      way: way.name,
      requestsPerSecond: figure(own.map(({ rate }) => rate)),
      ratio: ratio(own, measured[0]!, ({ rate }) => rate),
      p50Milliseconds: figure(own.map(({ p50 }) => p50)),
      p99Milliseconds: figure(own.map(({ p99 }) => p99)),
    };
  });
}

export const wayColumns: Columns<WayFigures> = {
  case: (row) => row.case,
  way: (row) => row.way,
  "requests/s": (row) => spread(row.requestsPerSecond),
  "of the engine": (row) => spread(row.ratio),
  "p50 ms": (row) => number(row.p50Milliseconds.median),
  "p99 ms": (row) => number(row.p99Milliseconds.median),
};

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
  const usage = async () => ({
    gateway: await cpuSecondsOf(stack, "gateway"),
    engine: await cpuSecondsOf(stack, "engine"),
  });
  const before = await usage();
  const through = await generator.run(target(kept), { ...load, rate });
  const after = await usage();
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

export const halfLoadColumns: Columns<HalfLoad> = {
  "requests/s": (row) => number(row.requestsPerSecond),
  "added p50 ms": (row) => number(row.addedP50Milliseconds),
  "added p99 ms": (row) => number(row.addedP99Milliseconds),
  "gateway CPU µs": (row) => number(row.gatewayMicroseconds),
  "engine CPU µs": (row) => number(row.engineMicroseconds),
};
