import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { detectCommand } from "@routeql/routing/commands/detect";
import { dockerClient } from "@routeql/host/docker/client";
import { loadCommand } from "@routeql/routing/commands/load";
import { DatabaseContainer, type StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import { image } from "@routeql/tests/harness/containers/image";
import { containerCpuSeconds } from "./measure/server-process.ts";

/** The kit's Postgres for a benchmark, at its own address, so that Docker's port proxy does not affect the measurement. */
export class BenchDatabase implements AsyncDisposable {
  readonly container: StartedDatabaseContainer;

  private constructor(container: StartedDatabaseContainer) {
    this.container = container;
  }

  static async start(): Promise<BenchDatabase> {
    return new BenchDatabase(await new DatabaseContainer(await image("database")).start());
  }

  /** Processor seconds that all processes of Postgres have used, in user and kernel mode. */
  cpuSeconds(): Promise<number> {
    return containerCpuSeconds(this.container.getId());
  }

  /** Counts the statements of services that begin while the work runs, by Postgres' log. Call {@link logServices} before they connect. */
  async statementsDuring(work: () => Promise<void>): Promise<number> {
    await this.#set("log_statement = 'all'");
    const before = await this.#loggedStatements();
    await work();
    const after = await this.#loggedStatements();
    await this.#set("log_statement = 'none'");
    return after - before;
  }

  /** The kit keeps the services' statements out of the log, which would show their values. */
  async logServices(): Promise<void> {
    await using bootstrap = await this.container.connect("bootstrap");
    const { rows } = await bootstrap.query<{ name: string }>(
      "select rolname as name from pg_roles where 'log_min_messages=fatal' = any (rolconfig)",
    );
    for (const { name } of rows) await bootstrap.query(`alter role ${name} set log_min_messages = log`);
    await this.#set("log_line_prefix = '%u '");
  }

  async #set(setting: string): Promise<void> {
    await using bootstrap = await this.container.connect("bootstrap");
    await bootstrap.query(`alter system set ${setting}`);
    await bootstrap.query("select pg_reload_conf()");
  }

  async #loggedStatements(): Promise<number> {
    const log = await dockerClient().getContainer(this.container.getId()).logs({ stdout: true, stderr: true });
    return log.toString().match(/routeql_\w+ LOG: {2}(?:statement|execute [^:]*):/g)?.length ?? 0;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container.stop();
  }
}

const repository = resolve(import.meta.dirname, "..");
const realData = resolve(repository, "../shared/data/bgp");
const realFiles = [
  "updates.20151023.0201.bgpdump.gz",
  "updates.20160811.1600.bgpdump.gz",
  "telegram-20260616.ripestat.tar.gz",
];

export interface RoutingData {
  readonly updates: number;
  readonly hijacks: number;
  /** Source of the updates, for the report. */
  readonly origin: string;
}

/** Fills a database with `wanted` updates, the newest real if they exist beside the repository, and detects hijacks in generated ones. */
export async function fillRoutingData(database: StartedDatabaseContainer, wanted: number): Promise<RoutingData> {
  const load = (...args: string[]): Promise<void> => runCommand(loadCommand, args, database);
  const real = realFiles
    .map((file) => resolve(realData, file))
    .filter((file) => wanted >= 1_000_000 && existsSync(file));
  if (real.length > 0) await load("--service", "ripe-ris|rrc00", ...real);
  const missing = wanted - (await count(database, "view_bgpupdates"));
  if (missing > 0) await load("--demo", String(missing), "--start", "2014-01-01T00:00:00Z");
  await runCommand(detectCommand, [resolve(repository, "routing/examples/demo.yaml")], database);
  await using owner = await database.connect("bootstrap");
  await owner.query("vacuum analyze");
  const updates = await count(database, "view_bgpupdates");
  const origin =
    real.length > 0 ? `${updates - Math.max(0, missing)} real updates, the rest generated` : "generated updates";
  return { updates, hijacks: await count(database, "view_hijacks"), origin };
}

async function count(database: StartedDatabaseContainer, view: string): Promise<number> {
  await using client = await database.connect("engine");
  const { rows } = await client.query<{ count: string }>(`select count(*) as count from ${view}`);
  return Number(rows[0]?.count);
}

/** Runs `load` or `detect`. @throws with the command's errors */
export async function runCommand(
  command: typeof loadCommand,
  args: readonly string[],
  database: StartedDatabaseContainer,
): Promise<void> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = Promise.all([text(stdout), text(stderr)]);
  const open = async () => ({
    config: { connectionString: database.getConnectionUri("loader") },
    close: async () => {},
  });
  const code = await command(args, open, { stdout, stderr });
  stdout.end();
  stderr.end();
  const [, errors] = await texts;
  if (code !== 0) throw new Error(`the data could not be loaded:\n${errors}`);
}
