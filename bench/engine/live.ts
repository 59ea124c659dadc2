import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Client } from "pg";
import { type Figure, figure, percentile } from "../measure/statistics.ts";
import { startEngineProcess } from "./contenders.ts";
import type { Arrivals, AwaitValue, OpenSubscribers } from "./subscriber-process.ts";

export interface LiveFigures {
  readonly subscribers: number;
  readonly variableSets: number;
  /** From the commit to the message in the client's hands. */
  readonly p50Milliseconds: Figure;
  readonly p95Milliseconds: Figure;
  readonly residentMegabytes: number;
  /** Share of one core that the engine takes while nothing changes. */
  readonly idleCpu: number;
  /** Answers that did not come within the time; none is as it should be. */
  readonly missing: number;
}

export interface LiveOptions {
  readonly databaseUrl: string;
  /** Connected as the owner of the tables. */
  readonly owner: Client;
  /** Numbers of subscribers, growing. */
  readonly steps: readonly number[];
  readonly changes: number;
}

const variableSets = 100;
const subscriptionsPerConnection = 2;
const query = "subscription ($key: String!) { view_hijacks(where: {key: {_eq: $key}}) { key num_peers_seen time_last } }";
const longestWait = 30_000;

/**
 * Live queries: many subscribers of one query with a hundred different variables, the engine on one core. A change touches all hundred
 * rows, so every subscriber receives an answer.
 */
export async function measureLive({ databaseUrl, owner, steps, changes }: LiveOptions): Promise<LiveFigures[]> {
  const keys = Array.from({ length: variableSets }, (_, index) => `bench-${index}`);
  await owner.query(
    `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last)
     select key, 'E|0|-|-', '192.0.2.0/24', 64511, '2014-01-01', '2014-01-01' from unnest($1::text[]) key on conflict do nothing`,
    [keys],
  );
  await using engine = await startEngine(databaseUrl);
  const child = fork(join(import.meta.dirname, "subscriber-process.ts"), { serialization: "advanced" });
  try {
    const figures: LiveFigures[] = [];
    let open = 0;
    let value = 1_000_000;
    for (const step of steps) {
      const wanted: OpenSubscribers = {
        type: "open",
        url: `ws://127.0.0.1:${engine.port}/v1/graphql`,
        token: engine.token,
        query,
        keys,
        connections: (step - open) / subscriptionsPerConnection,
        subscriptionsPerConnection,
      };
      child.send(wanted);
      await answerOf(child);
      open = step;
      const idleCpu = await idleShare(engine.server);
      const delays: Float64Array[] = [];
      let missing = 0;
      for (let change = 0; change < changes; change += 1) {
        value += 1;
        const { committed, arrivals } = await changeOnce(owner, child, keys, value, change / changes);
        delays.push(arrivals.map((at) => at - committed));
        missing += step - arrivals.length;
      }
      figures.push({
        subscribers: step,
        variableSets,
        p50Milliseconds: figure(delays.map((each) => percentile(each, 0.5))),
        p95Milliseconds: figure(delays.map((each) => percentile(each, 0.95))),
        residentMegabytes: engine.server.residentMegabytes(),
        idleCpu,
        missing,
      });
    }
    return figures;
  } finally {
    const exited = once(child, "exit");
    child.disconnect();
    await exited;
  }
}

async function startEngine(databaseUrl: string) {
  const engine = await startEngineProcess(databaseUrl, { core: 0 });
  return { ...engine, [Symbol.asyncDispose]: () => engine.server[Symbol.asyncDispose]() };
}

/** @param phase share of a polling interval to wait before, so that changes fall at different places of it */
async function changeOnce(owner: Client, child: ReturnType<typeof fork>, keys: readonly string[], value: number, phase: number) {
  await new Promise((wake) => setTimeout(wake, 200 + phase * 1_000));
  const wanted: AwaitValue = { type: "await", marker: `"num_peers_seen":${value}`, milliseconds: longestWait };
  child.send(wanted);
  const answer = answerOf(child);
  await owner.query("update routing.hijacks set num_peers_seen = $1 where key = any($2)", [value, keys]);
  const committed = performance.timeOrigin + performance.now();
  const { arrivals } = (await answer) as Arrivals;
  return { committed, arrivals };
}

/** The next message, unless the process ends first. Removes its listeners. */
async function answerOf(child: ReturnType<typeof fork>): Promise<unknown> {
  const listening = new AbortController();
  const { signal } = listening;
  try {
    const [answer] = (await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(([code]) => Promise.reject(new Error(`the subscribers' process ended with ${String(code)}`))),
    ])) as [unknown];
    return answer;
  } finally {
    listening.abort();
  }
}

async function idleShare(server: { cpuSeconds(): number }): Promise<number> {
  const before = server.cpuSeconds();
  const start = performance.now();
  await new Promise((wake) => setTimeout(wake, 3_000));
  return (server.cpuSeconds() - before) / ((performance.now() - start) / 1000);
}
