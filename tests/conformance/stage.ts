import { randomBytes } from "node:crypto";
import pg from "pg";
import pino from "pino";
import { createEngine, type Engine } from "../../engine/src/engine.ts";
import { authenticatorOf, serve, type Served } from "../../engine/src/operation/serve.ts";
import { metadataOf } from "../../engine/src/operation/testing/served-engine.ts";
import { readSettings } from "../../engine/src/operation/settings.ts";
import type { Command } from "./cases.ts";
import { databaseVariable, MetadataBuilder, UnknownCommand } from "./metadata-builder.ts";
import type { ServerFlags } from "./server-flags.ts";

const geography = /\b(geometry|geography|raster|st_[a-z]+)\b/i;

async function withClient<Result>(address: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** One folder's databases, metadata and a running engine. */
export class Stage implements AsyncDisposable {
  readonly secret = randomBytes(24).toString("hex");
  readonly #server: string;
  readonly #flags: ServerFlags;
  readonly #history: Command[] = [];
  readonly #builder = new MetadataBuilder();
  readonly #addresses = new Map<string, string>();
  #engine: Engine | undefined;
  #served: Served | undefined;

  /** @param server address of a Postgres whose role may create databases */
  constructor(server: string, flags: ServerFlags) {
    this.#server = server;
    this.#flags = flags;
  }

  get port(): number {
    if (this.#served === undefined) throw new Error("the engine does not run");
    return this.#served.port;
  }

  get withoutSecret(): boolean {
    return this.#flags.withoutSecret === true;
  }

  async #database(source: string): Promise<string> {
    const known = this.#addresses.get(source);
    if (known !== undefined) return known;
    const name = `conformance_${source}_${randomBytes(4).toString("hex")}`;
    await withClient(this.#server, (client) => client.query(`CREATE DATABASE ${name}`));
    const address = new URL(this.#server);
    address.pathname = `/${name}`;
    this.#addresses.set(source, address.href);
    await withClient(address.href, (client) => client.query("CREATE SCHEMA hge_tests"));
    return address.href;
  }

  async #apply(command: Command): Promise<void> {
    const steps = this.#builder.apply(command);
    this.#history.push(command);
    for (const source of this.#builder.sources) await this.#database(source);
    for (const { source, sql } of steps) {
      const address = await this.#database(source);
      await withClient(address, async (client) => {
        if (geography.test(sql)) await client.query("CREATE EXTENSION IF NOT EXISTS postgis");
        if (/\braster\b/i.test(sql)) await client.query("CREATE EXTENSION IF NOT EXISTS postgis_raster");
        await client.query(sql);
      });
    }
  }

  async start(setup: readonly Command[]): Promise<void> {
    await this.#database("default");
    for (const command of setup) await this.#apply(command);
    const { inferFunctionPermissions, enableAllowList, unauthorizedRole } = this.#flags;
    const settings = readSettings({
      HASURA_GRAPHQL_SERVER_PORT: "0",
      HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
      ENGINE_METRICS_PORT: "0",
      HASURA_GRAPHQL_ADMIN_SECRET: this.secret,
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ type: "HS256", key: this.secret, issuer: "conformance", audience: "conformance" }),
      HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: "true",
      HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "100",
      ...(unauthorizedRole === undefined ? {} : { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: unauthorizedRole }),
    });
    const engine = await createEngine({
      metadata: this.#builder.merged(),
      environment: this.#environment(),
      stringifyNumericTypes: true,
      inferFunctionPermissions: inferFunctionPermissions ?? true,
      enableAllowList: enableAllowList ?? false,
      poolSize: 2,
    });
    this.#engine = engine;
    const logger = pino({ level: "silent" });
    this.#served = await serve({ settings, engine, metadata: metadataOf(engine), authenticator: await authenticatorOf(settings, logger), logger });
  }

  #environment(): Record<string, string> {
    return Object.fromEntries([...this.#addresses].map(([source, address]) => [databaseVariable(source), address]));
  }

  /** Applies a command while the engine runs, as Hasura's API would. @throws when it is refused */
  async change(command: Command): Promise<void> {
    await this.#apply(command);
    await this.#engine?.reload(this.#builder.merged());
  }

  /** Whether a command would be refused, found out on a copy, so that nothing of it stays. @throws UnknownCommand */
  async refuses(command: Command): Promise<boolean> {
    await using copy = new Stage(this.#server, this.#flags);
    await copy.start(this.#history);
    try {
      await copy.change(command);
      return false;
    } catch (error) {
      if (error instanceof UnknownCommand) throw error;
      return true;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served?.stop();
    for (const address of this.#addresses.values()) {
      const name = new URL(address).pathname.slice(1);
      await withClient(this.#server, (client) => client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    }
  }
}
