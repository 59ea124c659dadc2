import { clientConfig, LibpqPoolClient } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import pg from "pg";
import { parseExactJson } from "../exact-json.ts";

export interface StoredMetadata {
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly resourceVersion: number;
}

export const emptyMetadata: StoredMetadata["metadata"] = { version: 3, sources: [] };

/** State that Hasura's CLI and console store on the server, such as applied migrations; the engine does not read it. */
export interface ToolState {
  readonly id: string;
  readonly cli_state: unknown;
  readonly console_state: unknown;
}

/** The metadata store of all replicas of an engine. Every method rejects when the database does not answer. */
export interface MetadataStore {
  /** Creates the schema and its table if they are missing. */
  prepare(): Promise<void>;
  read(): Promise<StoredMetadata | undefined>;
  /** The version alone; undefined while nothing is stored. */
  version(): Promise<number | undefined>;
  /** Stores the first metadata, unless another replica was faster. */
  seed(metadata: unknown): Promise<void>;
  /** Replaces metadata of version `expected`. Returns the new version; undefined when another version is stored now. */
  replace(metadata: unknown, expected: number): Promise<number | undefined>;
  /** The state of Hasura's tools; empty objects while nothing is stored. */
  toolState(): Promise<ToolState>;
  setToolState(tool: "cli" | "console", state: unknown): Promise<void>;
  close(): Promise<void>;
}

export interface MetadataStoreOptions {
  readonly connectionString: string;
  readonly onConnectionLost: () => void;
}

/** Two engines that start at the same time create the table one after the other. */
const lockKey = 727_021_311;

// IF NOT EXISTS requires the privilege to create even if nothing has to be created.
const schemaExists = "SELECT FROM pg_namespace WHERE nspname = 'hdb_catalog'";

const createTable = `
  CREATE TABLE IF NOT EXISTS hdb_catalog.hdb_metadata (
    id integer PRIMARY KEY,
    metadata json NOT NULL,
    resource_version integer NOT NULL DEFAULT 1 UNIQUE
  )`;

/** Hasura's own table, hdb_version, would make a Hasura on this database assume that its whole catalog exists. */
const createToolState = `
  CREATE TABLE IF NOT EXISTS hdb_catalog.routeql_tool_state (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    id uuid NOT NULL DEFAULT gen_random_uuid(),
    cli_state json NOT NULL DEFAULT '{}',
    console_state json NOT NULL DEFAULT '{}'
  )`;
const firstToolState = "INSERT INTO hdb_catalog.routeql_tool_state DEFAULT VALUES ON CONFLICT DO NOTHING";

/** Time limit for a connection and for a statement, in milliseconds. A slower store counts as down. */
const patience = 5_000;

/** The store in Hasura's own form: one row of `hdb_catalog.hdb_metadata`. */
export function createMetadataStore({ connectionString, onConnectionLost }: MetadataStoreOptions): MetadataStore {
  const pool = new pg.Pool({
    ...clientConfig(readConnection(connectionString)),
    Client: LibpqPoolClient,
    max: 2,
    connectionTimeoutMillis: patience,
    query_timeout: patience,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: "routeql-engine-metadata",
  });
  pool.on("error", onConnectionLost);

  async function tableExists(): Promise<boolean> {
    const { rows } = await pool.query<{ found: boolean }>(
      "SELECT to_regclass('hdb_catalog.hdb_metadata') IS NOT NULL AS found",
    );
    return rows[0]?.found === true;
  }

  async function prepareToolState(): Promise<void> {
    const { rows } = await pool.query<{ found: boolean }>(
      "SELECT to_regclass('hdb_catalog.routeql_tool_state') IS NOT NULL AS found",
    );
    if (rows[0]?.found !== true) await pool.query(createToolState);
    await pool.query(firstToolState);
  }

  return {
    async prepare() {
      // A role without the privilege to create can still use an existing table.
      if (await tableExists()) return;
      const client = await pool.connect();
      try {
        await client.query("BEGIN");
        await client.query("SELECT pg_advisory_xact_lock($1)", [lockKey]);
        if ((await client.query(schemaExists)).rowCount === 0) await client.query("CREATE SCHEMA hdb_catalog");
        await client.query(createTable);
        await client.query("COMMIT");
      } catch (error) {
        await client.query("ROLLBACK").catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
    async read() {
      const { rows } = await pool.query<{ metadata: string; resource_version: number }>(
        "SELECT metadata::text, resource_version FROM hdb_catalog.hdb_metadata WHERE id = 1",
      );
      const [row] = rows;
      return (
        row && {
          metadata: parseExactJson(row.metadata) as Record<string, unknown>,
          resourceVersion: row.resource_version,
        }
      );
    },
    async version() {
      const { rows } = await pool.query<{ resource_version: number }>(
        "SELECT resource_version FROM hdb_catalog.hdb_metadata WHERE id = 1",
      );
      return rows[0]?.resource_version;
    },
    async seed(metadata) {
      const statement = "INSERT INTO hdb_catalog.hdb_metadata (id, metadata) VALUES (1, $1) ON CONFLICT DO NOTHING";
      await pool.query(statement, [JSON.stringify(metadata)]);
    },
    async replace(metadata, expected) {
      const { rows } = await pool.query<{ resource_version: number }>(
        `UPDATE hdb_catalog.hdb_metadata SET metadata = $1, resource_version = resource_version + 1
         WHERE id = 1 AND resource_version = $2 RETURNING resource_version`,
        [JSON.stringify(metadata), expected],
      );
      return rows[0]?.resource_version;
    },
    async toolState() {
      await prepareToolState();
      const { rows } = await pool.query<ToolState>(
        "SELECT id, cli_state, console_state FROM hdb_catalog.routeql_tool_state",
      );
      return rows[0] as ToolState;
    },
    async setToolState(tool, state) {
      await prepareToolState();
      await pool.query(`UPDATE hdb_catalog.routeql_tool_state SET ${tool}_state = $1`, [JSON.stringify(state)]);
    },
    close: () => pool.end(),
  };
}
