import { resolve } from "node:path";
import { BenchDatabase, fillRoutingData } from "../database.ts";
import { LoadGenerator } from "../measure/http-load.ts";
import { type Figure, figure } from "../measure/statistics.ts";
import {
  type Columns,
  number,
  recordFigures,
  type RecordedRun,
  spread,
  machineNow,
  table,
  writeResults,
} from "../report.ts";
import {
  type Case,
  type Contender,
  fillCompileCache,
  graphqlContender,
  startBaseline,
  startEngine,
  startEngineProcess,
} from "./contenders.ts";
import { startBesideHasura } from "./hasura.ts";
import { type LiveFigures, measureLive } from "./live.ts";
import { type LoadFigures, measureLoads } from "./loads.ts";
import {
  recordedBesideHasura,
  recordedLive,
  recordedLoads,
  recordedMemory,
  recordedPrices,
  recordedQueries,
  recordedReady,
} from "./recorded.ts";
import { measurePrice, type Price } from "./price.ts";
import { measureReady } from "./ready.ts";
import { writes } from "./writes.ts";
import { type Bench, cases, checkAnswers, measureQueries, type QueryFigures, type Rounds } from "./queries.ts";

export interface EngineBench {
  readonly quick: boolean;
  /** Only cases and benchmarks whose name contains this: `10 rows`, `nested`, `live`, `ready` … */
  readonly only: string;
  /** Folder of another version of the project, or `hasura`: to compare with only that. */
  readonly against?: string | undefined;
  /** Writes the figures for docs/reference/figures.md. */
  readonly record: boolean;
}

const sizes = {
  full: {
    updates: 1_000_000,
    rounds: 5,
    milliseconds: 2_500,
    starts: 5,
    steps: [1_000, 5_000, 10_000, 20_000],
    changes: 4,
    loads: { subscribers: 5_000, rounds: 5, updates: 100_000, milliseconds: 10_000 },
  },
  quick: {
    updates: 100_000,
    rounds: 3,
    milliseconds: 1_000,
    starts: 3,
    steps: [1_000, 5_000],
    changes: 3,
    loads: { subscribers: 1_000, rounds: 3, updates: 20_000, milliseconds: 4_000 },
  },
};

/** `npm run bench:engine`. Returns the path of the results. */
export async function benchEngine({ quick, only, against, record }: EngineBench): Promise<string> {
  const size = quick ? sizes.quick : sizes.full;
  const conditions = machineNow(quick);
  const run: RecordedRun = { bench: "engine", quick, only, against, loadBefore: conditions.loadBefore };
  const isWanted = (name: string): boolean => name.includes(only);
  console.log("filling a database");
  await using database = await BenchDatabase.start();
  const data = await fillRoutingData(database.container, size.updates);
  console.log(`  ${number(data.updates)} updates (${data.origin}), ${data.hijacks} hijacks`);
  await using owner = await database.container.connect("owner");
  const { rows } = await owner.query<{ prefix: string }>(
    "select prefix::text from routing.bgp_updates group by prefix order by abs(count(*) - 100), prefix limit 1",
  );
  const asked = cases(rows[0]?.prefix ?? "").filter(({ name }) => isWanted(name));
  const databaseUrl = database.container.getConnectionUri("engine");
  if (isWanted("live queries")) await database.logServices();
  await fillCompileCache(databaseUrl);
  if (against === "hasura") {
    await using generator = new LoadGenerator();
    await using started = new AsyncDisposableStack();
    const contenders = await startBesideHasura(database.container, started);
    const atRest = contenders.map(
      ({ name, server }) =>
        `${name} ${number(server.residentMegabytes())} MB, ready after ${number(server.readyMilliseconds)} ms`,
    );
    console.log(`\nat rest:\n  ${atRest.join("\n  ")}`);
    const queries = await measureAll(asked, contenders, { generator, database }, size);
    const direct = contenders.filter(({ name }) => /^(Hasura|embedded engine)$/.test(name));
    const changes = writes.filter(({ name }) => isWanted(name));
    queries.push(...(await measureAll(changes, direct, { generator, database }, size)));
    const live: LiveFigures[] = [];
    for (const { name, socket } of isWanted("live queries") ? direct : [])
      live.push(
        ...(await measureLive({ name, ...socket }, { database, owner, steps: [1_000, 5_000], changes: size.changes })),
      );
    if (live.length > 0) console.log(`\n${table(live, liveColumns)}`);
    if (record)
      recordFigures(
        "beside-hasura",
        { ...recordedBesideHasura(queries), "at rest": { figure: atRest.join("; ") }, ...recordedLive(live) },
        run,
      );
    return await writeResults("engine-against-hasura", { ...conditions, data, atRest, queries, live });
  }
  if (against !== undefined) {
    const checkout = resolve(against);
    await fillCompileCache(databaseUrl, checkout);
    await using generator = new LoadGenerator();
    await using started = new AsyncDisposableStack();
    const [other, own] = [await startEngine(databaseUrl, checkout), await startEngine(databaseUrl)];
    for (const { server } of [other, own]) started.use(server);
    const contenders = [{ ...other, name: "other version" }, own];
    const queries = await measureAll(asked, contenders, { generator, database }, size);
    return await writeResults("engine-against", { ...conditions, data, queries });
  }

  const queries: QueryFigures[] = [];
  const prices: Price[] = [];
  let atRest = {};
  if (asked.length > 0) {
    const [baseline, engine] = [
      await memoryAtRest(size.starts, () => startBaseline(databaseUrl, asked)),
      await memoryAtRest(size.starts, () => startEngine(databaseUrl)),
    ];
    console.log(`\nat rest: engine ${spread(engine)} MB, baseline ${spread(baseline)} MB`);
    atRest = recordedMemory(engine, baseline);
    await using generator = new LoadGenerator();
    await using started = new AsyncDisposableStack();
    const contenders = [await startBaseline(databaseUrl, asked), await startEngine(databaseUrl)];
    for (const { server } of contenders) started.use(server);
    queries.push(...(await measureAll(asked, contenders, { generator, database }, size)));
    const [first] = asked;
    const own = queries.find((row) => row.case === first?.name && row.server === "engine");
    if (first !== undefined && own !== undefined && first.name === priced) {
      const measured = { cpuMicroseconds: own.cpuMicroseconds.median, milliseconds: 2 * size.milliseconds };
      prices.push(...(await measurePrice(first, databaseUrl, generator, measured)));
      console.log(`\n${table(prices, priceColumns)}`);
    }
  }
  const ready = isWanted("ready") ? await measureReady(databaseUrl, owner, size.starts) : undefined;
  if (ready !== undefined) console.log(`\nready with 50 tables: ${spread(ready)} ms`);
  const live: LiveFigures[] = [];
  if (isWanted("live queries")) {
    for (const liveQueries of ["push", "poll"]) {
      const name = `engine, ${liveQueries}`;
      // Pings of the WebSockets would hide what live queries cost while nothing changes.
      const environment = { ENGINE_LIVE_QUERIES: liveQueries, HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: "86400" };
      await using engine = await startEngineProcess(databaseUrl, { core: 0, environment });
      const { socket } = graphqlContender(name, engine.server, engine);
      const options = { database, owner, steps: size.steps, changes: size.changes };
      live.push(...(await measureLive({ name, ...socket }, options)));
    }
  }
  if (live.length > 0) console.log(`\n${table(live, liveColumns)}`);
  const loads = isWanted("live loads") ? await measureLoads({ database, owner, ...size.loads }) : undefined;
  if (loads !== undefined) console.log(`\n${table([loads], loadColumns)}`);
  if (record && prices.length > 0) recordFigures("engine-price", recordedPrices(prices), { ...run, isWhole: true });
  if (record)
    recordFigures(
      "engine",
      {
        ...recordedQueries(queries),
        ...atRest,
        ...recordedReady(ready),
        ...recordedLive(live, "without pings of WebSockets"),
        ...recordedLoads(loads),
      },
      run,
    );
  return await writeResults("engine", { ...conditions, data, queries, prices, readyMilliseconds: ready, live, loads });
}

/** Resident megabytes of a contender after each of its starts. */
async function memoryAtRest(starts: number, start: () => Promise<Contender>): Promise<Figure> {
  const megabytes: number[] = [];
  for (let index = 0; index < starts; index += 1) {
    await using server = (await start()).server;
    megabytes.push(server.residentMegabytes());
  }
  return figure(megabytes);
}

async function measureAll(
  asked: readonly Case[],
  contenders: readonly Contender[],
  bench: Bench,
  rounds: Rounds,
): Promise<QueryFigures[]> {
  const queries: QueryFigures[] = [];
  for (const one of asked) {
    await checkAnswers(one, contenders);
    const figures = await measureQueries(one, contenders, bench, rounds);
    console.log(`\n${table(figures, queryColumns)}`);
    queries.push(...figures);
  }
  return queries;
}

/** The case whose price is measured. */
const priced = "10 rows";

const priceColumns: Columns<Price> = {
  "part of the engine": ({ part }) => part,
  "": () => "",
  "CPU µs": ({ microseconds }) => number(microseconds),
};

const queryColumns: Columns<QueryFigures> = {
  case: (row) => row.case,
  server: (row) => row.server,
  "requests/s": (row) => spread(row.requestsPerSecond),
  "of baseline": (row) => spread(row.ratio),
  "CPU µs": (row) => number(row.cpuMicroseconds.median),
  "Postgres µs": (row) => number(row.postgresCpuMicroseconds.median),
  "p50 ms": (row) => number(row.p50Milliseconds.median),
  "p99 ms": (row) => number(row.p99Milliseconds.median),
  "p99 of baseline's": (row) => spread(row.p99Ratio),
  MB: (row) => number(row.residentMegabytes.median),
};

const liveColumns: Columns<LiveFigures> = {
  live: (row) => `${number(row.subscribers)} subscribers`,
  server: (row) => row.server,
  of: (row) => `${row.variableSets} variable sets`,
  "p50 ms to client": (row) => spread(row.p50Milliseconds),
  "p95 ms": (row) => spread(row.p95Milliseconds),
  "fan-out ms": (row) => spread(row.fanOutMilliseconds),
  "CPU ms": (row) => spread(row.cpuMilliseconds),
  MB: (row) => number(row.residentMegabytes),
  "cores while idle": (row) => number(row.idleCpu),
  "Postgres' cores": (row) => number(row.idlePostgresCpu),
  "statements in 10 s": (row) => number(row.idleStatements),
  missing: (row) => String(row.missing),
};

const loadColumns: Columns<LoadFigures> = {
  "live loads": (row) => `${number(row.subscribers)} subscribers`,
  "push of polling:": () => "",
  "load's rate": (row) => spread(row.loaded),
  "16 writers": (row) => spread(row.written),
  "CPU at 5,000/s": (row) => spread(row.processor),
  "p95 ms": (row) => spread(row.pushP95Milliseconds),
  "p95 ms polling": (row) => spread(row.pollP95Milliseconds),
};
