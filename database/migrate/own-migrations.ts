/** Migrations of the operator, after those of RouteQL and with their own numbers. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isSameText, readText } from "@routeql/contract/written-text";
import { type Client, DatabaseError, escapeIdentifier, escapeLiteral } from "pg";
import { isMigrationName } from "./migration-names.ts";
import type { MigrateSettings } from "./settings.ts";

export interface OwnMigration {
  readonly name: string;
  readonly content: string;
}

/** @throws Error when an applied migration changed, is missing, or would follow a new one */
export async function refuseChangedMigrations(client: Client, own: readonly OwnMigration[]): Promise<void> {
  const { rows: found } = await client.query<{ present: boolean }>(
    "select to_regclass('migrations.own_migrations') is not null as present",
  );
  if (found[0]?.present !== true) return;
  const { rows } = await client.query<OwnMigration>("select name, content from migrations.own_migrations order by id");
  for (const [index, { name, content }] of rows.entries()) {
    const reason = own.every((given) => given.name !== name)
      ? "is missing in the folder"
      : own.some((given) => given.name === name && !isSameText(given.content, content))
        ? "has changed since it was applied"
        : own[index]?.name !== name
          ? `is applied, but ${own[index]!.name} before it is not`
          : undefined;
    if (reason !== undefined)
      throw new Error(
        `your migration ${name} ${reason}. Nothing was changed. ` +
          "Restore the files that were applied (table migrations.own_migrations), and put changes into a new file with the next number",
      );
  }
}

/** Applies new ones as owner, each in a transaction: EXECUTE rejects commands that end it, so a failed file changes nothing. */
export async function applyOwnMigrations(client: Client, own: readonly OwnMigration[]): Promise<string[]> {
  const { rowCount } = await client.query("select from migrations.own_migrations");
  const pending = own.slice(rowCount ?? 0);
  for (const { name, content } of pending) {
    try {
      await client.query("begin");
      await client.query(`do ${escapeLiteral(`begin execute ${escapeLiteral(content)}; end`)}`);
      await client.query("insert into migrations.own_migrations (name, content) values ($1, $2)", [name, content]);
      await client.query(refuseNames);
      await client.query(refuseUncarried);
      await client.query("commit");
    } catch (error) {
      await client.query("rollback");
      if (!(error instanceof DatabaseError)) throw error;
      throw new Error(`your migration ${name} failed and changed nothing: ${error.message}`, { cause: error });
    }
    // The next file starts with the settings of the role again.
    await client.query("reset all");
  }
  return pending.map(({ name }) => `applied your migration ${name}`);
}

/** A restore accepts only rows of tables with such names. */
const refuseNames = `do $$ declare bad text; begin
  select format('%I.%I.%I', nspname, relname, attname) into bad
  from pg_namespace n join pg_class c on relnamespace = n.oid join pg_attribute on attrelid = c.oid
  where pg_get_userbyid(nspowner) = current_user and relkind in ('r', 'p', 'S') and attnum > 0
    and nspname || relname || attname !~ '^[ !#-&(-~]+$';
  if bad is not null then raise exception 'the name % has characters other than printable ASCII, or quotation marks', bad; end if;
end $$`;

/** Objects that a dump, the archive or a restore would lose, or that the next run of this job resets. */
const refuseUncarried = `do $$ declare bad text; begin
  select 'the table ' || oid::regclass || ' has row level security, so no backup would have all its rows. Restrict rows by permissions of the metadata'
    into bad from pg_class where relrowsecurity and pg_get_userbyid(relowner) = current_user order by oid limit 1;
  if bad is null then
    select oid::regclass || ' is UNLOGGED, so the archive would not have its rows. Create it without UNLOGGED'
      into bad from pg_class where relpersistence = 'u' and relkind in ('r', 'S') and pg_get_userbyid(relowner) = current_user order by oid limit 1;
  end if;
  if bad is null then
    select 'the large object ' || oid || ' would be in no backup. Store bytes in a column of type bytea'
      into bad from pg_largeobject_metadata where pg_get_userbyid(lomowner) = current_user order by oid limit 1;
  end if;
  if bad is null then
    select 'the trigger ' || tgname || ' is ENABLE ALWAYS, so a restore would run it. Use ENABLE TRIGGER'
      into bad from pg_trigger join pg_class c on c.oid = tgrelid
      where tgenabled = 'A' and not tgisinternal and pg_get_userbyid(relowner) = current_user order by tgname limit 1;
  end if;
  if bad is null then
    select 'the database has the setting ' || setting || ', which every update resets. Set it in the function or the session that needs it'
      into bad from pg_db_role_setting s join pg_database d on d.oid = setdatabase, unnest(setconfig) setting
      where datname = current_database() and (setrole = 0 or setrole = current_user::regrole) limit 1;
  end if;
  if bad is not null then raise exception '%', bad; end if;
end $$`;

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

/** Schemas of the operator: the engine has only the rights of the metadata, and backups read everything. */
const ownSchemas = `do $$ declare own text; begin
  for own in
    select quote_ident(nspname) from pg_namespace
    where pg_get_userbyid(nspowner) = current_user and nspname not in ('auth', 'migrations', 'public', 'routing')
  loop
    execute format('revoke all on schema %1$s from public, routeql_engine;
      revoke all on all tables in schema %1$s from public, routeql_engine; revoke all on all sequences in schema %1$s from public, routeql_engine;
      revoke all on all routines in schema %1$s from public, routeql_engine;
      grant usage on schema %1$s to routeql_backup; grant select on all tables in schema %1$s to routeql_backup;
      grant select on all sequences in schema %1$s to routeql_backup', own);
  end loop;
end $$;`;

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
    ownSchemas,
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
