import { resolve } from "node:path";
import pg from "pg";
import { type Catalog, readCatalog, typesNamedBy } from "@routeql/metadata/catalog/catalog";
import { buildState, type State } from "@routeql/engine/execution/state";
import { clientConfig, LibpqPoolClient } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import { ConnectionUrlError, isConnectionUrl } from "@routeql/contract/connection/url";
import { fromEnvironment } from "@routeql/engine/execution/database/connection";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import { quoted } from "../declared/filter-text.ts";
import type { Metadata, SourceMetadata } from "@routeql/metadata/read/shape";
import type { Given, Options, Terminal } from "../cli/command.ts";
import { readTextOf } from "../cli/read-file.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { ReadProject } from "./project.ts";

export const databaseOptions = {
  database: {
    type: "string",
    value: "URL",
    multiple: true,
    help: "the database of the metadata, with its migrations applied; default: the environment variable in the metadata (as NAME or NAME_FILE). With several sources, NAME=URL once for each",
  },
  "database-file": {
    type: "string",
    value: "FILE",
    multiple: true,
    help: "a file with the URL, which hides the password from the process list; with several sources, NAME=FILE",
  },
} as const satisfies Options;

/** Splits `NAME=VALUE`. The name is undefined for a URL or a path alone. */
function named(text: string): readonly [name: string | undefined, value: string] {
  const [, name, value] = /^([^=:/?]+)=(.*)$/s.exec(text) ?? [];
  return [name, value ?? text];
}

const urlIn = (file: string, directory: string): string =>
  readTextOf(resolve(directory, file), "the file of --database-file").trim();

/** As in libpq, the name of the user without another one. */
export const databaseName = (address: string): string => {
  const { database, user } = readConnection(address);
  return database ?? user ?? "";
};

const variableOf = ({
  configuration: {
    connection_info: { database_url: url },
  },
}: SourceMetadata) => (typeof url === "object" && "from_env" in url ? url.from_env : undefined);

/** The database address of each source, from options or environment variables; empty if there is none. @throws UsageError */
export function databaseAddresses(
  given: Given,
  { sources }: Metadata,
  { directory, environment }: Terminal,
): ReadonlyMap<string, string> {
  const names = sources.map(({ name }) => name);
  const found = new Map<string, string>();
  const files = given.texts("database-file").map(named);
  for (const [name, value] of [
    ...given.texts("database").map(named),
    ...files.map(([of, file]) => [of, urlIn(file, directory)] as const),
  ]) {
    const [only = ""] = names;
    if (name === undefined && names.length > 1)
      throw new UsageError(
        `the metadata has the sources ${names.join(", ")}: name the source of each database, as in --database ${only}=URL`,
      );
    if (name !== undefined && !names.includes(name))
      throw new UsageError(`the metadata has no source ${name}; it has ${names.join(", ") || "none"}`);
    if (found.has(name ?? only))
      throw new UsageError(
        names.length === 1
          ? "give either --database or --database-file, only once"
          : `the database of ${name ?? only} is given twice`,
      );
    // The value may contain a password, so the message does not repeat it.
    if (!isConnectionUrl(value))
      throw new UsageError("the database is not given as a URL, such as postgres://user@localhost/app");
    found.set(name ?? only, value);
  }
  if (found.size === 0) {
    for (const source of sources) {
      const variable = variableOf(source);
      const address = variable === undefined ? undefined : fromEnvironment(environment, variable);
      // The metadata may be of a stranger, and the variable may hold another secret.
      if (address !== undefined && !isConnectionUrl(address))
        throw new UsageError(
          `${variable}, which the metadata names for the source ${source.name}, is not the address of a database: it must begin with postgres:// or postgresql://`,
        );
      if (address !== undefined) found.set(source.name, address);
    }
  }
  return found;
}

export function withoutDatabase(source: SourceMetadata, isOneOfSeveral: boolean): string {
  const variable = variableOf(source);
  const or = variable === undefined ? "" : `, or set ${variable}`;
  return isOneOfSeveral
    ? `the source ${source.name} has no database: give --database ${source.name}=URL${or}`
    : `give --database URL${or}`;
}

/** @throws UsageError with the reason, without a value of the URL */
function configOf(address: string, source: string | undefined): pg.ClientConfig {
  try {
    return clientConfig(readConnection(address));
  } catch (error) {
    if (!(error instanceof ConnectionUrlError)) throw error;
    throw new UsageError(
      `the URL of the database${source === undefined ? "" : ` of ${source}`} is not usable: ${error.message}`,
    );
  }
}

interface OpenOptions {
  /** Milliseconds for one statement. */
  readonly statementTimeout?: number;
  /** Name of the source for errors. */
  readonly source?: string | undefined;
  readonly connections?: number;
}

/** Rows as lists of the texts that Postgres sends. */
export type TextRows = readonly (readonly (string | null)[])[];

/** The rows of the last statement. Without values, the text can hold several. */
async function rowsOf(on: pg.Pool | pg.PoolClient, text: string, values: readonly unknown[] = []): Promise<TextRows> {
  const types = { getTypeParser: () => (value: unknown) => value };
  const result = await on.query<(string | null)[]>({ text, values: [...values], rowMode: "array", types });
  const results: unknown = result;
  return (Array.isArray(results) ? (results as (typeof result)[]).at(-1) : result)?.rows ?? [];
}

/** Connections that store nothing; `await using`. */
export class ReadOnlyDatabase implements AsyncDisposable {
  readonly #pool: pg.Pool;

  private constructor(pool: pg.Pool) {
    this.#pool = pool;
  }

  /** @throws UsageError when the database does not answer; the message holds no password */
  static async open(
    address: string,
    { statementTimeout = 30_000, source, connections = 1 }: OpenOptions = {},
  ): Promise<ReadOnlyDatabase> {
    const pool = new pg.Pool({
      ...configOf(address, source),
      Client: LibpqPoolClient,
      max: connections,
      idleTimeoutMillis: 0,
      connectionTimeoutMillis: 10_000,
      application_name: "hasura-checks",
      options: `-c default_transaction_read_only=on -c statement_timeout=${statementTimeout}`,
    });
    pool.on("error", () => undefined);
    try {
      (await pool.connect()).release();
      return new ReadOnlyDatabase(pool);
    } catch (error) {
      await pool.end();
      const { code, message } = error as { code?: string; message: string };
      throw new UsageError(
        `the database${source === undefined ? "" : ` of ${source}`} does not answer: ${message === "" ? (code ?? "unknown error") : message.replaceAll(/\/\/[^@/\s]*@/g, "//")}`,
      );
    }
  }

  /** Rows as lists of the texts that Postgres sends. @throws errors of node-postgres */
  async rows(text: string, values: readonly unknown[] = []): Promise<TextRows> {
    return rowsOf(this.#pool, text, values);
  }

  /** Runs changes and rolls them back. `look` runs before and after them; `user` is `hasura.user` for triggers. */
  async rehearse<Result>(
    look: string,
    user: Readonly<Record<string, string>>,
    work: (run: (text: string) => Promise<TextRows>) => Promise<Result>,
  ): Promise<{ readonly before: TextRows; readonly after: TextRows; readonly result: Result }> {
    const client = await this.#pool.connect();
    try {
      const begin = "begin isolation level repeatable read read write; set local lock_timeout = 5000";
      const config = `set local hasura."user" = ${quoted(JSON.stringify(user))}`;
      const before = await rowsOf(client, `${begin}; ${config}; ${look}`);
      const result = await work((text) => rowsOf(client, text));
      return { before, result, after: await rowsOf(client, `set constraints all immediate; ${look}`) };
    } finally {
      // A client that cannot roll back must not be used again, and the pool waits for its return.
      client.release(
        await client.query("rollback").then(
          () => undefined,
          (error: Error) => error,
        ),
      );
    }
  }

  async text(text: string, values: readonly unknown[] = []): Promise<string | null> {
    return (await this.rows(text, values))[0]?.[0] ?? null;
  }

  async catalog(source: SourceMetadata): Promise<Catalog> {
    const { tables, functions } = source;
    return readCatalog(
      {
        tables: tables.map(({ table }) => table),
        functions: [
          ...functions.map((entry) => entry.function),
          ...tables.flatMap((table) => table.computed_fields.map(({ definition }) => definition.function)),
        ],
        enumTables: tables.filter(({ is_enum: isEnum }) => isEnum === true).map(({ table }) => table),
        types: typesNamedBy(source),
      },
      (text, values) => this.text(text, values),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pool.end();
  }
}

/** The engine state of the metadata on the databases of its sources, with a list of inconsistencies. */
export async function stateOn(
  databaseOf: (source: string) => Pick<ReadOnlyDatabase, "text">,
  { whole, loaded, problems, metadata }: ReadProject,
  inferFunctionPermissions: boolean,
): Promise<State> {
  const options = {
    metadata: loaded.merged,
    allowInconsistent: true,
    allowUnsupported: true,
    inferFunctionPermissions,
    rolesElsewhere: rolesWithPermission(whole.merged),
  };
  return buildState(
    { loaded, metadata, unserved: problems, notes: [] },
    options,
    (source) => (text, values) => databaseOf(source).text(text, values),
  );
}

/** The databases of all sources; `await using`. */
export class Databases implements AsyncDisposable {
  readonly #bySource: ReadonlyMap<string, ReadOnlyDatabase>;

  private constructor(bySource: ReadonlyMap<string, ReadOnlyDatabase>) {
    this.#bySource = bySource;
  }

  /** @returns undefined without addresses @throws UsageError if a database does not answer */
  static async open(addresses: ReadonlyMap<string, string>): Promise<Databases | undefined> {
    if (addresses.size === 0) return undefined;
    const open = new Map<string, ReadOnlyDatabase>();
    const databases = new Databases(open);
    try {
      for (const [source, address] of addresses)
        open.set(source, await ReadOnlyDatabase.open(address, { source: addresses.size > 1 ? source : undefined }));
      return databases;
    } catch (error) {
      await databases[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** @returns the catalogue of each source, in order; undefined for a source without a database, and if no source has one */
  async catalogs({ sources }: Metadata): Promise<readonly (Catalog | undefined)[] | undefined> {
    const catalogs: (Catalog | undefined)[] = [];
    for (const source of sources) catalogs.push(await this.of(source.name, sources.length)?.catalog(source));
    return catalogs.some((catalog) => catalog !== undefined) ? catalogs : undefined;
  }

  /** @returns undefined if a source has no database */
  async state(project: ReadProject, inferFunctionPermissions: boolean): Promise<State | undefined> {
    const { sources } = project.metadata;
    const known = new Map(sources.map(({ name }) => [name, this.of(name, sources.length)]));
    const databaseOf = (source: string) => {
      const database = known.get(source);
      if (database === undefined) throw new UsageError(`the source ${source} has no database`);
      return database;
    };
    return [...known.values()].includes(undefined) ? undefined : stateOn(databaseOf, project, inferFunctionPermissions);
  }

  /** The database of a source. A single source may have another name in the base revision. */
  of(source: string, sources: number): ReadOnlyDatabase | undefined {
    return sources === 1 && this.#bySource.size === 1 ? [...this.#bySource.values()][0] : this.#bySource.get(source);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const database of this.#bySource.values()) await database[Symbol.asyncDispose]();
  }
}
