import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseEnvironmentFile } from "@routeql/infra/settings/environment-file";
import { bringUpOwn, takeDownOwn } from "@routeql/tests/e2e/support/own-stack";
import { mustRun } from "@routeql/tests/harness/process";
import { newest } from "../engine/cases.ts";
import { alternate } from "../measure/alternate.ts";
import type { Load, Target } from "../measure/http-load.ts";
import { LoadGenerator } from "../measure/load-generator.ts";
import { type Figure, figure, percentile, ratio } from "../measure/statistics.ts";
import { surroundings, writeResults } from "../report/results.ts";
import { number, spread, table } from "../report/table.ts";

export interface StackBench {
  readonly quick: boolean;
  /** Only cases whose name contains this: `10 rows`, `1,000 rows`. */
  readonly only: string;
}

/** One way to the engine at one case; ratios are to the engine asked directly. */
interface WayFigures {
  readonly case: string;
  readonly way: string;
  readonly requestsPerSecond: Figure;
  readonly ratio: Figure;
  readonly p50Milliseconds: Figure;
  readonly p99Milliseconds: Figure;
  /** Of one body, as it travels. */
  readonly bytes: number;
}

interface Way {
  readonly name: string;
  readonly target: Target;
  readonly reconnect?: boolean;
}

const name = "bench";
const repository = resolve(import.meta.dirname, "../..");
const sizes = { full: { rounds: 5, milliseconds: 2_500, updates: 100_000 }, quick: { rounds: 2, milliseconds: 1_000, updates: 20_000 } };

/** One address asks for everything, so that the limits per address are out of the way. */
const settings = {
  requestsPerSecondPerAddress: "100000",
  requestBurst: "100000",
  connectionsPerAddress: "10000",
  tokenLifeSeconds: "3600",
};

/** `npm run bench:stack`. Gives the path of the results. */
export async function benchStack({ quick, only }: StackBench): Promise<string> {
  const { rounds, milliseconds, updates } = quick ? sizes.quick : sizes.full;
  const conditions = surroundings(quick);
  try {
    const up = await seconds(() => bringUpOwn(name, settings));
    const accessFile = up.result;
    await mustRun(process.execPath, ["cli/main.ts", "load", "--stack", name, "--demo", String(updates)], { cwd: repository });
    const ways = await waysTo(accessFile);
    await using generator = new LoadGenerator();
    const figures: WayFigures[] = [];
    for (const asked of [newest(10), newest(1_000)].filter((one) => one.name.includes(only))) {
      const own = await measure(asked.name, ways(JSON.stringify({ query: asked.hasura })), generator, rounds, { connections: asked.connections, milliseconds });
      figures.push(...own);
      console.log(`\n${wayTable(own)}`);
    }
    console.log(`\nup: ${number(up.seconds)} s`);
    return await writeResults("stack", { ...conditions, figures, upSeconds: up.seconds });
  } finally {
    await takeDownOwn(name);
  }
}

async function seconds<Result>(work: () => Promise<Result>): Promise<{ result: Result; seconds: number }> {
  const start = performance.now();
  const result = await work();
  return { result, seconds: (performance.now() - start) / 1000 };
}

/** The ways to ask a body: both the gateway and the engine at their containers' addresses, so that nothing is measured of Docker's port proxy. */
async function waysTo(accessFile: string): Promise<(body: string) => Way[]> {
  const access = new Map(parseEnvironmentFile(await readFile(accessFile, "utf8")).entries.map((entry) => [entry.name, entry.value]));
  const authority = await readFile(access.get("ROUTEQL_CA_FILE") ?? "", "utf8");
  const gateway: Pick<Target, "host" | "port" | "authority"> = { host: await addressOf("gateway"), port: 8443, authority };
  const engine = { host: await addressOf("engine"), port: 8080 };
  const token = await tokenFor(access);
  const headers = { authorization: `Bearer ${token}` };
  return (body) => {
    const through: Target = { ...gateway, method: "POST", path: "/api/graphql", headers, body };
    return [
      { name: "engine directly", target: { ...engine, method: "POST", path: "/v1/graphql", headers, body } },
      { name: "gateway, TLS, kept alive", target: through },
      { name: "gateway, TLS, gzip", target: { ...through, headers: { ...headers, "accept-encoding": "gzip" } } },
      { name: "gateway, TLS, new connections", target: through, reconnect: true },
    ];
  };
}

async function addressOf(service: string): Promise<string> {
  const format = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}";
  const [address] = (await mustRun("docker", ["inspect", "--format", format, `routeql-${name}-${service}`])).trim().split(" ");
  if (address === undefined) throw new Error(`the container of ${service} has no address`);
  return address;
}

/** The first administrator's token, of role operator. */
async function tokenFor(access: ReadonlyMap<string, string>): Promise<string> {
  const credentials = JSON.stringify({ username: access.get("ADMIN_EMAIL"), password: access.get("ADMIN_PASSWORD") });
  const curl = ["--silent", "--show-error", "--fail", "--cacert", access.get("ROUTEQL_CA_FILE") ?? "", "--header", "content-type: application/json", "--data", "@-"];
  const answer = await mustRun("curl", [...curl, `${access.get("ROUTEQL_URL") ?? ""}/jwt/auth`], { input: credentials });
  return (JSON.parse(answer) as { readonly access_token: string }).access_token;
}

async function measure(name: string, ways: readonly Way[], generator: LoadGenerator, rounds: number, load: Load): Promise<WayFigures[]> {
  const measured = new Map<Way, { rate: number; p50: number; p99: number; bytes: number }[]>(ways.map((way) => [way, []]));
  const oneRound = async ({ target, reconnect }: Way) => {
    const { seconds, latencies, statuses, broken, bytes } = await generator.run(target, { ...load, reconnect });
    if (broken > 0 || Object.keys(statuses).some((status) => status !== "200")) throw new Error(`${name}: ${JSON.stringify(statuses)}, ${broken} connections broken`);
    return { rate: latencies.length / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), bytes };
  };
  for (const way of ways) await oneRound(way); // warms up
  for (const order of alternate(ways, rounds)) for (const way of order) measured.get(way)?.push(await oneRound(way));
  const direct = (measured.get(ways[0] as Way) ?? []).map(({ rate }) => rate);
  return ways.map((way) => {
    const own = measured.get(way) ?? [];
    const rates = own.map(({ rate }) => rate);
    return {
      case: name,
      way: way.name,
      requestsPerSecond: figure(rates),
      ratio: ratio(rates, direct),
      p50Milliseconds: figure(own.map(({ p50 }) => p50)),
      p99Milliseconds: figure(own.map(({ p99 }) => p99)),
      bytes: own.at(-1)?.bytes ?? 0,
    };
  });
}

function wayTable(rows: readonly WayFigures[]): string {
  const line = (row: WayFigures): string[] => [
    row.case,
    row.way,
    spread(row.requestsPerSecond),
    spread(row.ratio),
    number(row.p50Milliseconds.median),
    number(row.p99Milliseconds.median),
    number(row.bytes),
  ];
  return table(["case", "way", "requests/s", "of the engine", "p50 ms", "p99 ms", "bytes"], rows.map(line));
}
