import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import pg from "pg";
import { type Catalog, readCatalog } from "../../../../engine/src/catalog/catalog.ts";
import { buildState, type State } from "../../../../engine/src/execution/state.ts";
import { fromEnvironment } from "../../../../engine/src/execution/connection.ts";
import type { Metadata } from "../../../../engine/src/metadata/shape.ts";
import type { Given, Options, Surroundings } from "../cli/command.ts";
import { UsageError } from "../cli/usage-error.ts";
import type { Project } from "./project.ts";

export const databaseOptions = {
  database: { type: "string", value: "URL", help: "the database that the metadata are for, with its migrations applied; default: what the environment variable holds that the metadata name (as NAME or NAME_FILE)" },
  "database-file": { type: "string", value: "FILE", help: "a file that holds the URL, so that no password shows in the list of processes" },
} as const satisfies Options;

/** The database's address, from wherever it was given. */
export function databaseAddress(given: Given, metadata: Metadata | undefined, { directory, environment }: Surroundings): string | undefined {
  const [url, file] = [given.text("database"), given.text("database-file")];
  if (url !== undefined && file !== undefined) throw new UsageError("give either --database or --database-file");
  if (url !== undefined) return url;
  if (file !== undefined) {
    try {
      return readFileSync(resolve(directory, file), "utf8").trim();
    } catch (error) {
      throw new UsageError(`the file of --database-file cannot be read: ${(error as NodeJS.ErrnoException).code ?? ""}`);
    }
  }
  const named = metadata?.sources[0]?.configuration.connection_info.database_url;
  return typeof named === "object" && "from_env" in named ? fromEnvironment(environment, named.from_env) : undefined;
}

/** A connection that cannot write; `await using`. */
export class ReadOnlyDatabase implements AsyncDisposable {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  /** @throws UsageError when it does not answer; the message holds no password */
  static async open(address: string, statementTimeout = 30_000): Promise<ReadOnlyDatabase> {
    try {
      const client = new pg.Client({
        connectionString: address,
        connectionTimeoutMillis: 10_000,
        application_name: "routeql-tools",
        options: `-c default_transaction_read_only=on -c statement_timeout=${statementTimeout}`,
      });
      client.on("error", () => undefined);
      await client.connect();
      return new ReadOnlyDatabase(client);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      throw new UsageError(`the database does not answer: ${message === "" ? (code ?? "unknown error") : message.replaceAll(/\/\/[^@/\s]*@/g, "//")}`);
    }
  }

  /** Rows as lists of Postgres' own texts. @throws what node-postgres throws */
  async rows(text: string, values: readonly unknown[] = []): Promise<readonly (readonly (string | null)[])[]> {
    const asText = { getTypeParser: () => (value: unknown) => value };
    const result = await this.#client.query<(string | null)[]>({ text, values: [...values], rowMode: "array", types: asText });
    return result.rows;
  }

  async text(text: string, values: readonly unknown[] = []): Promise<string | null> {
    return (await this.rows(text, values))[0]?.[0] ?? null;
  }

  /** What the tracked tables and functions are. */
  async catalog(metadata: Metadata): Promise<Catalog> {
    const tables = metadata.sources.flatMap((source) => source.tables);
    return readCatalog(
      {
        tables: tables.map(({ table }) => table),
        functions: [...metadata.sources.flatMap((source) => source.functions.map((entry) => entry.function)), ...tables.flatMap((table) => table.computed_fields.map(({ definition }) => definition.function))],
        enumTables: [],
      },
      (text, values) => this.text(text, values),
    );
  }

  /** Metadata fitted to this database; what does not fit is listed in it. */
  async state({ loaded, problems }: Project, metadata: Metadata, inferFunctionPermissions = true): Promise<State> {
    const options = { metadata: loaded.merged, allowInconsistent: true, allowUnsupported: true, inferFunctionPermissions };
    return buildState({ loaded, metadata, unserved: problems, notes: [] }, options, () => (text, values) => this.text(text, values));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}
