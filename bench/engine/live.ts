import type { Client } from "pg";
import { type Figure, figure, percentile } from "../measure/statistics.ts";
import { addWatchedRows, Subscribers } from "../measure/subscribers.ts";
import { startEngineProcess } from "./contenders.ts";

export interface LiveFigures {
  readonly subscribers: number;
  readonly variableSets: number;
  /** From the commit to the arrival of the message at the client. */
  readonly p50Milliseconds: Figure;
  readonly p95Milliseconds: Figure;
  /** From the first arrival to that of 95 %: without the wait for the next poll, which depends on the moment of the change. */
  readonly fanOutMilliseconds: Figure;
  readonly residentMegabytes: number;
  /** Processor time of the engine from a change to its last answer, with one interval of polling. */
  readonly cpuMilliseconds: Figure;
  /** Fraction of one core that the engine uses while no data changes. */
  readonly idleCpu: number;
  /** Number of answers that did not arrive in time; zero is correct. */
  readonly missing: number;
}

export interface LiveOptions {
  readonly databaseUrl: string;
  /** Connected as the owner of the tables. */
  readonly owner: Client;
  /** Increasing numbers of subscribers. */
  readonly steps: readonly number[];
  readonly changes: number;
}

/** Live queries: many subscribers of one query with a hundred variables, the engine on one core. A change reaches every subscriber. */
export async function measureLive(options: LiveOptions): Promise<LiveFigures[]> {
  const { databaseUrl, owner, steps, changes } = options;
  await addWatchedRows(owner);
  await using engine = await startEngineProcess(databaseUrl, { core: 0 });
  await using subscribers = new Subscribers({ url: `ws://127.0.0.1:${engine.port}/v1/graphql`, token: engine.token });
  const figures: LiveFigures[] = [];
  let value = 1_000_000;
  for (const step of steps) {
    await subscribers.grow(step);
    const idleCpu = await idleShare(engine.server);
    const delays: Float64Array[] = [];
    const processorTimes: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      value += 1;
      const before = engine.server.cpuSeconds();
      delays.push(await subscribers.change(owner, value, change / changes));
      processorTimes.push((engine.server.cpuSeconds() - before) * 1_000);
    }
    figures.push({
      subscribers: step,
      variableSets: Subscribers.variableSets,
      p50Milliseconds: figure(delays.map((each) => percentile(each, 0.5))),
      p95Milliseconds: figure(delays.map((each) => percentile(each, 0.95))),
      fanOutMilliseconds: figure(delays.map((each) => percentile(each, 0.95) - percentile(each, 0))),
      cpuMilliseconds: figure(processorTimes),
      residentMegabytes: engine.server.residentMegabytes(),
      idleCpu,
      missing: delays.reduce((missing, each) => missing + step - each.length, 0),
    });
  }
  return figures;
}

async function idleShare(server: { cpuSeconds(): number }): Promise<number> {
  const before = server.cpuSeconds();
  const start = performance.now();
  await new Promise((wake) => setTimeout(wake, 3_000));
  return (server.cpuSeconds() - before) / ((performance.now() - start) / 1000);
}
