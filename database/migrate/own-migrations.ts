/** Migrations of the operator, after those of RouteQL and with their own numbers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSameText, readText } from "@routeql/contract/written-text";
import { textBeside } from "@routeql/database-access/text-beside";
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { migrationFailure } from "./migration-failure.ts";
import { isMigrationName } from "./migration-names.ts";
import type { MigrateSettings } from "./settings.ts";

export interface OwnMigration {
  readonly name: string;
  readonly content: string;
}

/** Migrations of the operator in the database, in their order. */
export async function appliedMigrations(client: Client): Promise<readonly OwnMigration[]> {
  const { rows: found } = await client.query<{ present: boolean }>(
    "select to_regclass('migrations.own_migrations') is not null as present",
  );
  if (found[0]?.present !== true) return [];
  return (await client.query<OwnMigration>("select name, content from migrations.own_migrations order by id")).rows;
}

/** Why an applied migration is not among the given ones: it changed, is missing, or would follow a new one. */
export function changedMigration(applied: readonly OwnMigration[], own: readonly OwnMigration[]): string | undefined {
  for (const [index, { name, content }] of applied.entries()) {
    const reason = own.every((given) => given.name !== name)
      ? "is missing in the folder"
      : own.some((given) => given.name === name && !isSameText(given.content, content))
        ? "has changed since it was applied"
        : own[index]?.name !== name
          ? `is applied, but ${own[index]!.name} before it is not`
          : undefined;
    if (reason !== undefined) return `your migration ${name} ${reason}`;
  }
  return undefined;
}

export const changedRemedy =
  "Restore the files that were applied (table migrations.own_migrations), and put changes into a new file with the next number";

/** @throws Error when an applied migration changed, is missing, or would follow a new one */
export async function refuseChangedMigrations(client: Client, own: readonly OwnMigration[]): Promise<void> {
  const changed = changedMigration(await appliedMigrations(client), own);
  if (changed !== undefined) throw new Error(`${changed}. Nothing was changed. ${changedRemedy}`);
}

/** Applies new ones as owner, each in a transaction: EXECUTE rejects commands that end it, so a failed file changes nothing. */
export async function applyOwnMigrations(client: Client, own: readonly OwnMigration[]): Promise<string[]> {
  const { rowCount } = await client.query("select from migrations.own_migrations");
  const pending = own.slice(rowCount ?? 0);
  for (const { name, content } of pending) {
    try {
      await client.query("begin");
      await client.query(`do ${escapeLiteral(`begin execute ${escapeLiteral(content)}; end`)}`);
      // The rest uses this job's own settings: the content in another client_encoding would count as changed at the next update.
      await client.query("reset all; reset role");
      await client.query("insert into migrations.own_migrations (name, content) values ($1, $2)", [name, content]);
      await client.query(textBeside(import.meta.url, "refuse-uncarried.sql"));
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      if (!(error instanceof DatabaseError)) throw error;
      throw new Error(`your migration ${name} failed and changed nothing: ${migrationFailure(error, content)}`, {
        cause: error,
      });
    }
  }
  return pending.map(({ name }) => `applied your migration ${name}`);
}

/** The rights that the operator's metadata needs, as the deployment derives them from it. */
export interface EngineRights {
  readonly tables: readonly {
    readonly schema: string;
    readonly name: string;
    /** `select`, `insert`, `delete`, or `update` with columns. */
    readonly rights: readonly { readonly right: string; readonly columns?: readonly string[] }[];
  }[];
  readonly functions: readonly { readonly schema: string; readonly name: string }[];
}

/** Files of the operator. */
export interface Own {
  /** In the order of their numbers. */
  readonly migrations: readonly OwnMigration[];
  readonly engineRights: EngineRights;
}

export function readOwn({ ownMigrations, engineRights }: Pick<MigrateSettings, "ownMigrations" | "engineRights">): Own {
  const files = ownMigrations === undefined ? [] : readdirSync(ownMigrations).filter(isMigrationName).toSorted();
  return {
    migrations: files.map((file) => ({
      name: file.replace(/\.sql$/, ""),
      content: readText(join(ownMigrations!, file)),
    })),
    engineRights:
      engineRights === undefined
        ? { tables: [], functions: [] }
        : (JSON.parse(readFileSync(engineRights, "utf8")) as EngineRights),
  };
}

/** SQL that sets the rights of the engine and of backups on the operator's objects, after grants.sql. */
export function ownGrants({ tables, functions }: EngineRights): string {
  const quoted = (names: readonly string[]): string => names.map((name) => escapeIdentifier(name)).join(", ");
  const path = ({ schema, name }: { readonly schema: string; readonly name: string }): string =>
    `${quoted([schema])}.${quoted([name])}`;
  const statements = tables.flatMap((table) => [
    ...table.rights.map(
      ({ right, columns }) =>
        `grant ${right}${columns === undefined ? "" : ` (${quoted(columns)})`} on ${path(table)} to routeql_engine`,
    ),
    ...(table.rights.some(({ right }) => right === "insert") ? [sequencesOf(path(table))] : []),
  ]);
  const schemas = new Set([...tables, ...functions].map(({ schema }) => schema));
  return [
    textBeside(import.meta.url, "own-schemas.sql"),
    ...[...schemas].map((schema) => `grant usage on schema ${quoted([schema])} to routeql_engine`),
    ...statements,
    ...functions.map((each) => `grant execute on function ${path(each)} to routeql_engine`),
  ].join(";\n");
}

/** Defaults of serial columns call nextval; identity columns need no right. */
const sequencesOf = (table: string): string => `do $$ declare sequence text; begin
  for sequence in
    select refobjid::regclass from pg_depend d join pg_attrdef a on d.classid = 'pg_attrdef'::regclass and d.objid = a.oid
    join pg_class s on d.refclassid = 'pg_class'::regclass and s.oid = d.refobjid and s.relkind = 'S'
    where a.adrelid = ${escapeLiteral(table)}::regclass
  loop execute format('grant usage on sequence %s to routeql_engine', sequence); end loop;
end $$`;
