import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Client } from "pg";
import { detectCommand } from "@routeql/routing/commands/detect";
import { loadCommand } from "@routeql/routing/commands/load";
import type { OpenDatabase } from "@routeql/database-access/opened-database";
import type { Programs } from "@routeql/cli/place/programs";
import { programsIn } from "@routeql/cli/docker/client-programs";
import { dockerClient } from "@routeql/host/docker/client";
import {
  type DatabaseRole,
  databaseRoles,
  type StartedDatabaseContainer,
} from "../harness/containers/database-container.ts";

/** Result of a command. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Command = typeof loadCommand;

/** `load` and `detect` on one database, as `npm run load` and `npm run detect` call them. */
export function commandsOn(database: StartedDatabaseContainer): { load: Run; detect: Run } {
  const open: OpenDatabase = async () => ({
    config: { connectionString: database.getConnectionUri("loader") },
    close: async () => {},
  });
  return {
    load: (...args) => runCommand(loadCommand, args, open),
    detect: (...args) => runCommand(detectCommand, args, open),
  };
}

export type Run = (...args: string[]) => Promise<CommandResult>;

/** Runs a command of the database on its own streams. */
export async function runCommand(command: Command, args: string[], open: OpenDatabase): Promise<CommandResult> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const texts = Promise.all([text(stdout), text(stderr)]);
  const code = await command(args, open, { stdout, stderr });
  stdout.end();
  stderr.end();
  const [out, err] = await texts;
  return { code, stdout: out, stderr: err };
}

/** Rows of a query as JSON values, run as one of the database's roles. */
export async function rowsOf(
  database: StartedDatabaseContainer,
  role: DatabaseRole,
  query: string,
  values?: unknown[],
): Promise<unknown[]> {
  await using client = await database.connect(role);
  return await jsonRows(client, query, values); // This function closes the client at its end.
}

/** The commands' access to a database that belongs to no stack. */
export const programsOf = (
  database: StartedDatabaseContainer,
  passwordOf = (role: DatabaseRole) => database.getPassword(role),
): Programs => ({
  as: (role) => {
    if (role === "monitor") throw new Error("This database has no exporter.");
    return programsIn(dockerClient().getContainer(database.getId()), [
      "PGHOST=127.0.0.1",
      "PGPORT=5432",
      "PGDATABASE=routeql",
      `PGUSER=${databaseRoles[role]}`,
      `PGPASSWORD=${passwordOf(role)}`,
    ]);
  },
});

/** Rows in Postgres' JSON, so that times and numbers are not converted to JavaScript types. */
export async function jsonRows(client: Client, query: string, values: unknown[] = []): Promise<unknown[]> {
  const { rows } = await client.query<{ json: unknown }>(`select to_json(q) as json from (${query}) q`, values);
  return rows.map(({ json }) => json);
}

/** Names of the partitions of routing.bgp_updates. */
export async function partitionsOf(database: StartedDatabaseContainer): Promise<string[]> {
  const rows = await rowsOf(
    database,
    "owner",
    "select relname as name from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'routing.bgp_updates'::regclass order by 1",
  );
  return rows.map((row) => (row as { name: string }).name);
}

/** Drops every partition of routing.bgp_updates, as the owner. */
export async function dropPartitions(owner: Client): Promise<void> {
  await owner.query(`do $$ declare partition regclass; begin
    for partition in select inhrelid from pg_inherits where inhparent = 'routing.bgp_updates'::regclass loop execute 'drop table ' || partition; end loop; end $$`);
}

const folder = resolve(import.meta.dirname, "../../../shared/data");

/** A file of the real data, which is not in the project. */
export function sharedData(file: string): string {
  return resolve(folder, file);
}

/** Reason why suites on real data are skipped; undefined if the data exists. */
export const sharedDataAbsent: string | undefined = existsSync(sharedData("SOURCES.md"))
  ? undefined
  : "the real data is absent: it is expected in ../shared/data beside the repository";
