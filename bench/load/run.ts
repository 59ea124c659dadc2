import { resolve } from "node:path";
import { bringUpOwn, takeDownOwn } from "@routeql/tests/e2e/support/own-stack";
import { mustRun } from "@routeql/tests/harness/process";
import { newest } from "../engine/queries.ts";
import { LoadGenerator, type LoadResult, type Target } from "../measure/http-load.ts";
import { StackAddresses } from "../stack/bench-stack.ts";
import { percentile } from "../measure/statistics.ts";
import { number, surroundings, table, writeResults } from "../report.ts";
import { type LoadRun, runLoader } from "./loader.ts";
import { LoadFiles } from "./made-up-updates.ts";

export interface LoadBench {
  readonly quick: boolean;
  /** Number of updates instead of 20 million, or 2 million with `quick`. */
  readonly updates?: number;
}

const name = "benchload";
const repository = resolve(import.meta.dirname, "../..");
const configuredPrefixes = 10_000;

/** The specification's queries and one small query of a client. */
const queries: Readonly<Record<string, string>> = {
  "newest 10 updates": newest(10).hasura,
  "newest 10 hijacks":
    "query { view_hijacks(limit: 10, order_by: {time_last: desc}) { key type prefix hijack_as time_last active num_peers_seen } }",
  "newest 10 of a prefix":
    'query { view_bgpupdates(where: {prefix: {_eq: "20.0.80.0/24"}}, limit: 10, order_by: {timestamp: desc}) { prefix origin_as timestamp type } }',
  "newest 10 of an origin":
    "query { view_bgpupdates(where: {origin_as: {_eq: 1000}}, limit: 10, order_by: {timestamp: desc}) { prefix origin_as timestamp type } }",
};

/** `npm run bench:load`. Returns the path of the results. */
export async function benchLoad({ quick, updates = quick ? 2_000_000 : 20_000_000 }: LoadBench): Promise<string> {
  const conditions = surroundings(quick);
  await using files = await LoadFiles.write(updates, configuredPrefixes);
  try {
    await bringUpOwn(name, { tokenLifeSeconds: "3600" });
    const command = (...args: string[]): Promise<string> =>
      mustRun(process.execPath, ["cli/main.ts", ...args, "--stack", name], { cwd: repository });
    await command("load", "--demo", "20000", "--start", "2025-01-01T00:00:00Z");
    await using addresses = new StackAddresses(name);
    const engine = await addresses.of("engine");
    const ask = async (query: string): Promise<Target> => targetOf(engine, (await command("token")).trim(), query);
    await using generator = new LoadGenerator();
    const small = await ask(newest(10).hasura);
    await readers(generator, small, 5_000); // Warm-up.
    const before = await readers(generator, small, 15_000);
    const loaded = new AbortController();
    const loading = runLoader(name, files.updates).finally(() => loaded.abort());
    const during = await readers(generator, small, 5_000, () => !loaded.signal.aborted);
    const load = await loading;
    console.log(`\n${loadTable(load)}\n\n${readerTable({ before, during })}`);
    const began = performance.now();
    const detected = (await command("detect", files.configuration)).trim();
    const detectSeconds = (performance.now() - began) / 1000;
    console.log(`\ndetection with ${configuredPrefixes} prefixes: ${number(detectSeconds)} s\n${detected}`);
    const asked: Record<string, ReaderFigures> = {};
    for (const [title, query] of Object.entries(queries))
      asked[title] = await readers(generator, await ask(query), 4_000);
    console.log(`\n${readerTable(asked)}`);
    return await writeResults("load", {
      ...conditions,
      updates,
      load,
      readers: { before, during },
      detectSeconds,
      detected,
      queries: asked,
    });
  } finally {
    await takeDownOwn(name);
  }
}

function targetOf(host: string, token: string, query: string): Target {
  return {
    host,
    port: 8080,
    method: "POST",
    path: "/v1/graphql",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  };
}

function loadTable(load: LoadRun): string {
  const rows = load.ratePerMillion.map((rate, index) => [`million ${index + 1}`, "written", number(rate)]);
  return [
    table(["rows", "step", "rows/s"], [...rows, [number(load.rows), "everything", number(load.rows / load.seconds)]]),
    `${number(load.seconds)} s, ${number(load.readingSeconds)} s of them reading; longest time between progress lines ${number(load.longestSilenceSeconds)} s`,
    `memory of the loader: ${number(load.earlyMegabytes)} MB early, ${number(load.mostMegabytes)} MB at most`,
  ].join("\n");
}

function readerTable(figures: Readonly<Record<string, ReaderFigures>>): string {
  const rows = Object.entries(figures).map(([title, { requests, failed, p50Milliseconds, p99Milliseconds }]) => [
    title,
    `${requests} requests, ${failed} failed`,
    number(p50Milliseconds),
    number(p99Milliseconds),
  ]);
  return table(["query", "requests", "p50 ms", "p99 ms"], rows);
}

/** Requests of readers at regular times, so that they measure waiting and cause little load. */
const requestsPerSecond = 50;

export interface ReaderFigures {
  readonly requests: number;
  readonly failed: number;
  readonly p50Milliseconds: number;
  readonly p99Milliseconds: number;
}

/** Sends requests to the target for a time, and repeats while `again` returns true. */
export async function readers(
  generator: LoadGenerator,
  target: Target,
  milliseconds: number,
  again = () => false,
): Promise<ReaderFigures> {
  const results: LoadResult[] = [];
  do {
    results.push(await generator.run(target, { connections: 4, milliseconds, rate: requestsPerSecond }));
  } while (again());
  const latencies = Float64Array.from(results.flatMap((result) => [...result.latencies]));
  return {
    requests: latencies.length,
    failed: results.reduce((sum, { refusalLatencies, broken }) => sum + refusalLatencies.length + broken, 0),
    p50Milliseconds: percentile(latencies, 0.5),
    p99Milliseconds: percentile(latencies, 0.99),
  };
}
