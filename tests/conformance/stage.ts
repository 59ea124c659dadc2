import { randomBytes } from "node:crypto";
import pg from "pg";
import pino from "pino";
import { createEngine, MetadataError, type Engine } from "@routeql/engine";
import { createEmbeddedExecutor } from "@routeql/engine/executors/embedded";
import { authenticatorOf, serve, type Served } from "@routeql/engine/lifecycle/serve";
import { metadataOf } from "@routeql/engine/lifecycle/testing/served-engine";
import { createAdministration } from "@routeql/engine/metadata-api/routes";
import { readSettings } from "@routeql/engine/settings/settings";
import { commandsOf, type Command } from "./cases.ts";
import { databaseVariable, MetadataBuilder, UnknownCommand } from "./metadata-builder.ts";
import { type Json, record } from "./json.ts";
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

/** Dropping one object can leave further objects without their dependencies, so the check repeats. */
const maxRounds = 10;

/** Whether Hasura also removes dependent metadata for this command: only for SQL that drops or changes objects. */
function takesAlong({ type, args }: Command): boolean {
  if (typeof args !== "object" || args === null) return false;
  const changes = type.endsWith("run_sql") && "sql" in args && /\b(?:drop|alter)\b/i.test(String(args.sql));
  return changes || ("cascade" in args && args.cascade === true);
}

/** A copy with the value of each variable that a `from_env` names. */
export function withAddresses(metadata: Json, environment: Readonly<Record<string, string>>): Json {
  return JSON.parse(JSON.stringify(metadata), (_key, value: unknown) => {
    const { from_env: variable } = record(value);
    return typeof variable === "string" ? (environment[variable] ?? value) : value;
  }) as Json;
}

/** Copies of the databases of setups that ran: a copy is made faster than extensions and tables. */
const templates = new WeakMap<readonly Command[], string>();

/** One folder's database, metadata and a running engine. */
export class Stage implements AsyncDisposable {
  readonly secret = randomBytes(24).toString("hex");
  /** Parts of the setup without a counterpart here. */
  readonly leftOut: string[] = [];
  readonly #server: string;
  readonly #flags: ServerFlags;
  readonly #history: Command[] = [];
  readonly #builder = new MetadataBuilder();
  readonly #name = `conformance_${randomBytes(8).toString("hex")}`;
  /** Of the folder's database. */
  readonly address: string;
  #engine: Engine | undefined;
  #served: Served | undefined;

  /** @param server address of a Postgres whose role may create databases */
  constructor(server: string, flags: ServerFlags) {
    this.#server = server;
    this.#flags = flags;
    this.address = Object.assign(new URL(server), { pathname: `/${this.#name}` }).href;
  }

  get port(): number {
    if (this.#served === undefined) throw new Error("the engine does not run");
    return this.#served.port;
  }

  get withoutSecret(): boolean {
    return this.#flags.withoutSecret === true;
  }

  get #environment(): Readonly<Record<string, string>> {
    return { [databaseVariable]: this.address };
  }

  /** @param isDone whether the database already has the result of its SQL */
  async #apply(command: Command, isDone = false): Promise<void> {
    const statements = this.#builder.apply(command);
    this.#history.push(command);
    const sql = statements.join("\n");
    if (sql === "" || isDone) return;
    await withClient(this.address, async (client) => {
      if (geography.test(sql)) await client.query("CREATE EXTENSION IF NOT EXISTS postgis");
      if (/\braster\b/i.test(sql)) await client.query("CREATE EXTENSION IF NOT EXISTS postgis_raster");
      await client.query(sql);
    });
  }

  async #applyKnown(command: Command, isDone: boolean): Promise<void> {
    try {
      await this.#apply(command, isDone);
    } catch (error) {
      if (!(error instanceof UnknownCommand)) throw error;
      this.leftOut.push(error.message);
    }
  }

  async #create(name: string, template = "template1"): Promise<void> {
    await withClient(this.#server, (client) =>
      client.query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`),
    );
  }

  /**
   * Creates and fills the database. Returns the metadata, with its address instead of a variable.
   * @param isOnce whether no other stage has the same setup
   */
  async prepare(setup: readonly Command[], isOnce = false): Promise<Json> {
    const template = templates.get(setup);
    await this.#create(this.#name, template);
    if (template === undefined) await withClient(this.address, (client) => client.query("CREATE SCHEMA hge_tests"));
    for (const command of setup) await this.#applyKnown(command, template !== undefined);
    if (template === undefined && !isOnce) {
      await this.#create(`${this.#name}_setup`, this.#name);
      templates.set(setup, `${this.#name}_setup`);
    }
    return withAddresses(this.#builder.merged(), this.#environment);
  }

  /** @param ran whether the commands ran before, so that their dependants are already removed */
  async start(setup: readonly Command[], ran = false): Promise<void> {
    await this.prepare(setup, ran);
    const { inferFunctionPermissions, enableAllowList, unauthorizedRole, namingConvention } = this.#flags;
    const settings = readSettings({
      HASURA_GRAPHQL_SERVER_PORT: "0",
      HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
      ENGINE_METRICS_PORT: "0",
      HASURA_GRAPHQL_ADMIN_SECRET: this.secret,
      HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({
        type: "HS256",
        key: this.secret,
        issuer: "conformance",
        audience: "conformance",
      }),
      HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: "true",
      HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: "100",
      ...(unauthorizedRole === undefined ? {} : { HASURA_GRAPHQL_UNAUTHORIZED_ROLE: unauthorizedRole }),
    });
    const engine = await this.#fitting(ran, (metadata) =>
      createEngine({
        metadata,
        environment: this.#environment,
        stringifyNumericTypes: true,
        inferFunctionPermissions: inferFunctionPermissions ?? true,
        ...(namingConvention === undefined ? {} : { namingConvention }),
        enableAllowList: enableAllowList ?? false,
        poolSize: 2,
      }),
    );
    this.#engine = engine;
    const logger = pino({ level: "silent" });
    this.#served = await serve({
      settings,
      createExecutor: (events) => createEmbeddedExecutor(engine, settings, events),
      administration: createAdministration(engine, metadataOf(engine)),
      authenticator: await authenticatorOf(settings, logger),
      logger,
      // No other client holds a connection.
      quiet: 0,
    });
  }

  /**
   * Applies a command while the engine runs, as Hasura's API would.
   * @throws when the command is rejected
   */
  async change(command: Command): Promise<void> {
    for (const single of commandsOf(command)) {
      await this.#apply(single);
      await this.#fitting(takesAlong(single), async (metadata) => this.#engine?.reload(metadata));
    }
  }

  /** Loads the metadata, without objects that no longer match the databases if they may be removed. */
  async #fitting<Result>(
    mayDrop: boolean,
    use: (metadata: Record<string, unknown>) => Promise<Result>,
  ): Promise<Result> {
    for (let round = 0; ; round += 1) {
      try {
        return await use(this.#builder.merged());
      } catch (error) {
        if (!(error instanceof MetadataError) || !mayDrop || round === maxRounds) throw error;
        this.#builder.drop(error.problems);
      }
    }
  }

  /**
   * Whether a command would be rejected, checked on a copy without lasting changes.
   * @throws UnknownCommand
   */
  async refuses(command: Command): Promise<boolean> {
    await using copy = new Stage(this.#server, this.#flags);
    await copy.start([...this.#history], true);
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
    await withClient(this.#server, (client) => client.query(`DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`));
  }
}
