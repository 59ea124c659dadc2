import type { Client } from "pg";
import type { BenchDatabase } from "../database.ts";
import { type Figure, figure, percentile } from "../measure/statistics.ts";
import { addWatchedRows, Subscribers } from "../measure/subscribers.ts";
import type { Measured } from "../measure/server-process.ts";

export interface LiveFigures {
  readonly server: string;
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
  /** The same of Postgres. */
  readonly idlePostgresCpu: number;
  /** Statements in ten seconds while no data changes, less those without subscribers. */
  readonly idleStatements: number;
  /** Number of answers that did not arrive in time; zero is correct. */
  readonly missing: number;
}

/** A server of GraphQL over WebSocket. */
export interface LiveServer {
  readonly name: string;
  readonly server: Measured;
  /** `ws://…` */
  readonly url: string;
  readonly token: string;
}

export interface LiveOptions {
  readonly database: Pick<BenchDatabase, "cpuSeconds" | "statementsDuring">;
  /** Connected as the owner of the tables. */
  readonly owner: Client;
  /** Increasing numbers of subscribers. */
  readonly steps: readonly number[];
  readonly changes: number;
}

/** Live queries: many subscribers of one query with a hundred variables. A change reaches every subscriber. */
export async function measureLive(
  { name, server, url, token }: LiveServer,
  { database, owner, steps, changes }: LiveOptions,
): Promise<LiveFigures[]> {
  await addWatchedRows(owner);
  await using subscribers = new Subscribers({ url, token });
  const figures: LiveFigures[] = [];
  // Health checks, and the listener's proofs.
  const { idleStatements: background } = await idleShares(server, database);
  let value = 1_000_000;
  for (const step of steps) {
    await subscribers.grow(step);
    const idle = await idleShares(server, database);
    const delays: Float64Array[] = [];
    const processorTimes: number[] = [];
    for (let change = 0; change < changes; change += 1) {
      value += 1;
      const before = server.cpuSeconds();
      delays.push(await subscribers.change(owner, value, change / changes));
      processorTimes.push((server.cpuSeconds() - before) * 1_000);
    }
    figures.push({
      server: name,
      subscribers: step,
      variableSets: Subscribers.variableSets,
      p50Milliseconds: figure(delays.map((each) => percentile(each, 0.5))),
      p95Milliseconds: figure(delays.map((each) => percentile(each, 0.95))),
      fanOutMilliseconds: figure(delays.map((each) => percentile(each, 0.95) - percentile(each, 0))),
      cpuMilliseconds: figure(processorTimes),
      residentMegabytes: server.residentMegabytes(),
      ...idle,
      idleStatements: idle.idleStatements - background,
      missing: delays.reduce((missing, each) => missing + step - each.length, 0),
    });
  }
  return figures;
}

async function idleShares(
  server: Measured,
  database: LiveOptions["database"],
): Promise<Pick<LiveFigures, "idleCpu" | "idlePostgresCpu" | "idleStatements">> {
  let [own, postgres] = [0, 0];
  const statements = await database.statementsDuring(async () => {
    const [before, postgresBefore] = [server.cpuSeconds(), await database.cpuSeconds()];
    await new Promise((wake) => setTimeout(wake, 1_000 * idleSeconds));
    [own, postgres] = [server.cpuSeconds() - before, (await database.cpuSeconds()) - postgresBefore];
  });
  return {
    idleCpu: own / idleSeconds,
    idlePostgresCpu: postgres / idleSeconds,
    idleStatements: (10 * statements) / idleSeconds,
  };
}

/** A cohort without notices runs once in this time. */
const idleSeconds = 30;
