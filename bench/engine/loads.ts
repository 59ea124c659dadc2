/** What push costs writers, engine and Postgres: loads and single rows beside live queries, with push, and by polling without triggers. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { loadCommand } from "@routeql/routing/commands/load";
import type { Client } from "pg";
import { type BenchDatabase, runCommand } from "../database.ts";
import { type Figure, figure, inRounds, percentile, ratio } from "../measure/statistics.ts";
import { addWatchedRows, Subscribers, type Watched } from "../measure/subscribers.ts";
import { type EngineProcess, graphqlContender, startEngineProcess } from "./contenders.ts";

const modes = ["poll", "push"] as const;
type Mode = (typeof modes)[number];

export interface LoadOptions {
  readonly database: BenchDatabase;
  /** Connected as the owner of the tables. */
  readonly owner: Client;
  readonly subscribers: number;
  readonly rounds: number;
  /** Updates of the load without a pace. */
  readonly updates: number;
  /** Of the paced load, and of the writers. */
  readonly milliseconds: number;
}

interface Round {
  /** Updates a second that a load without a pace stores. */
  readonly loaded: number;
  /** Processor seconds of engine and Postgres for each second of the paced load. */
  readonly processor: number;
  /** From the commit of a change to 95 % of its clients, during the paced load. */
  readonly p95Milliseconds: number;
  /** Rows a second of the writers of single rows. */
  readonly written: number;
}

/** Push as a ratio to polling, except for the times to the clients. */
export interface LoadFigures {
  readonly subscribers: number;
  readonly loaded: Figure;
  readonly written: Figure;
  readonly processor: Figure;
  readonly pushP95Milliseconds: Figure;
  readonly pollP95Milliseconds: Figure;
}

/** Updates a second of the paced load. */
const pace = 5_000;
/** Loads of the paced load in a second. */
const loadsPerSecond = 2;
const writers = 16;

export async function measureLoads(options: LoadOptions): Promise<LoadFigures> {
  const { owner, rounds, subscribers } = options;
  await addWatchedRows(owner);
  await owner.query(`create schema bench; grant usage on schema bench to routeql_engine;
    create table bench.note (id bigint generated always as identity primary key, author text not null);
    create index on bench.note (author); grant select on bench.note to routeql_engine;
    select routing.watch_tables(array(select oid from pg_class
      where oid >= 16384 and has_any_column_privilege('routeql_engine', oid, 'select')), '{}')`);
  const folder = await mkdtemp(join(tmpdir(), "routeql-bench-"));
  try {
    const metadata = join(folder, "metadata.json");
    await writeFile(metadata, JSON.stringify(ownMetadata));
    const measured = await inRounds(modes, rounds, async (mode): Promise<Round> => {
      await setTriggers(owner, mode);
      return { ...(await measureUpdates(mode, options)), ...(await measureWriters(mode, metadata, options)) };
    });
    const [poll = [], push = []] = measured;
    return {
      subscribers,
      loaded: ratio(push, poll, ({ loaded }) => loaded),
      written: ratio(push, poll, ({ written }) => written),
      processor: ratio(push, poll, ({ processor }) => processor),
      pushP95Milliseconds: figure(push.map(({ p95Milliseconds }) => p95Milliseconds)),
      pollP95Milliseconds: figure(poll.map(({ p95Milliseconds }) => p95Milliseconds)),
    };
  } finally {
    await rm(folder, { recursive: true });
    await owner.query("drop schema bench cascade");
    await setTriggers(owner, "push");
  }
}

/** Polling is measured without triggers, as before they existed. */
async function setTriggers(owner: Client, mode: Mode): Promise<void> {
  const { rows } = await owner.query<{ name: string }>(
    "select tgrelid::regclass::text as name from pg_trigger where tgname = 'routeql_change'",
  );
  for (const { name } of rows)
    await owner.query(`alter table only ${name} ${mode === "push" ? "enable" : "disable"} trigger routeql_change`);
}

/** Half of the subscribers watch the loaded updates, the others hijacks that change meanwhile. */
async function measureUpdates(
  mode: Mode,
  { database, owner, subscribers, updates, milliseconds }: LoadOptions,
): Promise<Omit<Round, "written">> {
  await using engine = await startMode(database, mode);
  const { socket } = graphqlContender(mode, engine.server, engine);
  await using ofHijacks = new Subscribers(socket);
  await using ofUpdates = new Subscribers(socket, await watchedUpdates(owner));
  await ofHijacks.grow(subscribers / 2);
  await ofUpdates.grow(subscribers / 2);
  const start = performance.now();
  await load(database, updates);
  const loaded = updates / ((performance.now() - start) / 1_000);

  const processor = async (): Promise<number> => engine.server.cpuSeconds() + (await database.cpuSeconds());
  const [before, began] = [await processor(), performance.now()];
  const loading = paced(database, milliseconds);
  const delays: number[] = [];
  for (let change = 0; performance.now() - began < milliseconds; change += 1)
    delays.push(percentile(await ofHijacks.change(owner, nextValue(), (change % 4) / 4), 0.95));
  await loading;
  const used = (await processor()) - before;
  return { loaded, processor: used / ((performance.now() - began) / 1_000), p95Milliseconds: figure(delays).median };
}

async function paced(database: BenchDatabase, milliseconds: number): Promise<void> {
  const began = performance.now();
  for (let index = 0; performance.now() - began < milliseconds; index += 1) {
    await load(database, pace / loadsPerSecond);
    await sleep(Math.max(0, began + ((index + 1) * 1_000) / loadsPerSecond - performance.now()));
  }
}

let value = 2_000_000;
const nextValue = (): number => (value += 1);

let seed = 1_000;

function load(database: BenchDatabase, updates: number): Promise<void> {
  seed += 1;
  return runCommand(loadCommand, ["--demo", String(updates), "--seed", String(seed)], database.container);
}

async function watchedUpdates(owner: Client): Promise<Watched> {
  const { rows } = await owner.query<{ prefix: string }>(
    "select distinct prefix::text from routing.bgp_updates order by prefix limit $1",
    [Subscribers.variableSets],
  );
  const query =
    "subscription ($key: inet!) { view_bgpupdates(where: {prefix: {_eq: $key}}, order_by: {timestamp: desc}, limit: 1) { prefix timestamp } }";
  return { query, keys: rows.map(({ prefix }) => prefix) };
}

/** Each connection inserts single rows into an own table that all subscribers watch. The role has no limit of connections. */
async function measureWriters(
  mode: Mode,
  metadata: string,
  { database, subscribers, milliseconds }: LoadOptions,
): Promise<Pick<Round, "written">> {
  await using engine = await startMode(database, mode, metadata);
  const { socket } = graphqlContender(mode, engine.server, engine);
  const authors = Array.from({ length: Subscribers.variableSets }, (_, index) => `author ${index}`);
  const query =
    "subscription ($key: String!) { bench_note(where: {author: {_eq: $key}}, order_by: {id: desc}, limit: 1) { id } }";
  await using readers = new Subscribers(socket, { query, keys: authors });
  await readers.grow(subscribers);
  const clients = await Promise.all(Array.from({ length: writers }, () => database.container.connect("bootstrap")));
  const start = performance.now();
  const write = async (client: Client, index: number): Promise<number> => {
    let rows = 0;
    for (; performance.now() - start < milliseconds; rows += 1)
      await client.query({
        name: "write",
        text: "insert into bench.note (author) values ($1)",
        values: [authors[(index + rows * writers) % authors.length]],
      });
    return rows;
  };
  const rows = await Promise.all(clients.map(write));
  const seconds = (performance.now() - start) / 1_000;
  await Promise.all(clients.map((client) => client.end()));
  return { written: rows.reduce((sum, each) => sum + each, 0) / seconds };
}

function startMode(database: BenchDatabase, mode: Mode, metadata?: string): Promise<EngineProcess> {
  return startEngineProcess(database.container.getConnectionUri("engine"), {
    core: 0,
    environment: { ENGINE_LIVE_QUERIES: mode },
    ...(metadata === undefined ? {} : { metadata }),
  });
}

const ownMetadata = {
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: { database_url: { from_env: "ROUTEQL_DATABASE_URL" } } },
      tables: [
        {
          table: { schema: "bench", name: "note" },
          select_permissions: [{ role: "analyst", permission: { columns: "*", filter: {} } }],
        },
      ],
    },
  ],
};
