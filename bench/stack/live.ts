import { percentile } from "../measure/statistics.ts";
import { addWatchedRows, Subscribers } from "../measure/subscribers.ts";
import { number, table } from "../report/table.ts";
import type { BenchStack } from "./bench-stack.ts";

/** Live queries on one way; the time is from the commit to the message in the client's process. */
export interface LiveWay {
  readonly way: string;
  readonly subscribers: number;
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
  /** Messages that did not arrive in time. */
  readonly missing: number;
}

/** The same live queries first directly, then through the gateway, never at the same time. */
export async function measureLiveWays(stack: BenchStack, subscribers: number, changes: number): Promise<LiveWay[]> {
  await using owner = await stack.owner();
  await addWatchedRows(owner);
  let value = 1_000_000;
  const ways = [
    ["engine directly", { url: `ws://${stack.engine.host}:${stack.engine.port}/v1/graphql`, token: stack.token }],
    [
      "gateway, TLS",
      {
        url: `wss://${stack.gateway.host}:${stack.gateway.port}/api/graphql`,
        token: stack.token,
        authority: stack.gateway.authority,
      },
    ],
  ] as const;
  const figures: LiveWay[] = [];
  for (const [way, origin] of ways) {
    await using clients = new Subscribers(origin);
    await clients.grow(subscribers);
    await clients.change(owner, (value += 1), 0); // warms up
    const delays: number[] = [];
    for (let change = 0; change < changes; change += 1)
      delays.push(...(await clients.change(owner, (value += 1), change / changes)));
    const all = Float64Array.from(delays);
    figures.push({
      way,
      subscribers,
      p50Milliseconds: percentile(all, 0.5),
      p95Milliseconds: percentile(all, 0.95),
      missing: subscribers * changes - all.length,
    });
  }
  return figures;
}

export function liveTable(rows: readonly LiveWay[]): string {
  const line = ({ way, subscribers, p50Milliseconds, p95Milliseconds, missing }: LiveWay): string[] => [
    "live queries",
    way,
    number(subscribers),
    number(p50Milliseconds),
    number(p95Milliseconds),
    String(missing),
  ];
  return table(["case", "way", "subscribers", "p50 ms", "p95 ms", "missing"], rows.map(line));
}
