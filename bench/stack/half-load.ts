import type { Load } from "../measure/http-load.ts";
import type { LoadGenerator } from "../measure/load-generator.ts";
import { percentile } from "../measure/statistics.ts";
import { number, table } from "../report/table.ts";
import type { BenchStack } from "./bench-stack.ts";
import { directly, kept, type Way } from "./ways.ts";

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
