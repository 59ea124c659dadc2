/**
 * How a backup becomes a database again without running any of its SQL: this checkout's migrations make the schema, and the file
 * contributes rows. The operator's migrations come from the database that is replaced. A file could otherwise carry functions, settings or commands of psql.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { migrationNames } from "@routeql/database/migrate/migration-names";
import { projectFolder } from "@routeql/host/paths";
import { backedUpSchemas } from "./backup.ts";
import { carryOver, remember, report } from "./carry-over.ts";

const folder = join(projectFolder, "database/migrations");

/**
 * Passes rows on, drops what a dump always contains, and fails on any other line. The dump's own names for partitions become new tables,
 * which get their indexes after their rows. The end of the rows is recognised exactly as psql recognises it.
 */
const onlyRows = String.raw`
BEGIN { name = "([a-z_0-9]+|\"[ !#-&(-~]+\")" }
function refuse() { print "The file contains SQL that no backup contains: " substr($0, 1, 200) >"/dev/stderr"; exit 3 }
copying { print; if ($0 ~ /^\\\.\r?$/) copying = 0; next }
/^COPY "?(pg_|information_schema|hdb_catalog)/ { refuse() }
$0 ~ "^COPY " name "\\." name " \\(" name "(, " name ")*\\) FROM stdin;$" {
  if ($2 ~ /^routing\.bgp_updates_[0-9]+$/) print "create table " $2 " (like routing.bgp_updates including all excluding indexes);"
  print; copying = 1; next
}
$0 ~ "^SELECT pg_catalog\\.setval\\('" name "\\." name "', -?[0-9]+, (true|false)\\);$" { print; next }
/^$|^--|^SET [a-z_]+ = [^;]*;$|^SELECT pg_catalog\.set_config\('search_path', '', false\);$|^\\(un)?restrict [A-Za-z0-9]+$/ { next }
{ refuse() }
`;

/** One transaction: only a dump that was read to its end is committed. psql ends a line at a zero byte, awk does not. */
const script = `after=$(head -c "$1") && { head -c "$2" && pg_restore --data-only --exit-on-error --file=- | tr -d '\\000' | awk "$0" \
&& printf '%s\\n' "$after"; } | psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=- --output=/dev/null`;

/** The texts of the operator's migrations survive the deletion as a setting. */
const rememberOwn = `do $$ begin
  if to_regclass('migrations.own_migrations') is not null then
    perform set_config('routeql.own', (select jsonb_object_agg(name, content)::text from migrations.own_migrations), true);
  end if;
end $$;
`;

/** Everything that the owner has in the database. The schema public belongs to the database's owner by another name. */
const empty = `begin;
${remember}${rememberOwn}-- Postgres warns of each function whose superuser-given right the owner cannot revoke from itself.
set local client_min_messages = error;
set local search_path = public;
drop owned by current_user cascade;
set local client_min_messages = warning;
drop schema if exists ${backedUpSchemas.join(", ")} cascade;
create schema public authorization pg_database_owner;
create schema migrations;
create table migrations.schema_migrations (id serial primary key, name varchar(255) not null, run_on timestamp not null);
`;

const attachPartitions = `do $$ declare part record; begin
  for part in
    select relname, to_date(rpad(stamp, 8, '01'), 'YYYYMMDD') as first, case length(stamp) when 8 then '1 day' else '1 month' end::interval as unit
    from pg_class, substring(relname from '^bgp_updates_(\\d{6}|\\d{8})$') as stamp
    where relnamespace = 'routing'::regnamespace and relkind = 'r' and stamp is not null order by relname
  loop
    execute format('alter table routing.bgp_updates attach partition routing.%I for values from (%L) to (%L)',
      part.relname, part.first, (part.first + part.unit)::date);
  end loop;
end $$;
`;

/** Triggers would add rows that the backup has too. */
const ownTriggers = `select format('alter table %s %%s trigger %I', tgrelid::regclass, tgname) as change, array['disable', 'enable'] as steps
  from pg_trigger t join pg_proc p on p.oid = tgfoid join pg_class c on c.oid = tgrelid
  where pg_get_userbyid(relowner) = current_user and not tgisinternal and tgparentid = 0 and tgenabled = 'O'
    and pronamespace::regnamespace::text not in ('auth', 'migrations', 'routing')`;

/** Rows arrive in the order of the tables' names, so foreign keys are checked at the end. */
const foreignKeys = `select format('alter table %s alter constraint %I %%s', conrelid::regclass, conname),
    array['deferrable initially deferred', 'not deferrable']
  from pg_constraint join pg_class c on c.oid = conrelid
  where pg_get_userbyid(relowner) = current_user and contype = 'f' and conparentid = 0 and not condeferrable`;

/** Runs the operator's migrations from the replaced database, and empties the tables that they fill. @param own names in the backup */
const replay = (own: readonly string[]): string => `do $$ declare own text; change record;
  known jsonb := coalesce(nullif(current_setting('routeql.own', true), ''), '{}')::jsonb;
begin
  foreach own in array array[${own.map((name) => `'${name.replaceAll("'", "''")}'`).join(", ")}] loop
    if known ->> own is null then
      raise exception 'the backup has your migration %, which this stack does not have; set migrations to its folder and run npm run up', own;
    end if;
    perform set_config('search_path', 'public', true);
    execute known ->> own;
  end loop;
  perform set_config('search_path', 'public', true);
  create temporary table suspended on commit drop as ${ownTriggers} union all ${foreignKeys};
  for change in select * from suspended loop execute replace(change.change, '%s', change.steps[1]); end loop;
  execute (select 'truncate ' || string_agg(c.oid::regclass::text, ', ') from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind in ('r', 'p') and relpersistence <> 't' and (nspname = 'public' or pg_get_userbyid(nspowner) = current_user));
end $$;
set constraints all deferred;
`;

/** SQL for a text as `isSameText` compares it. */
const withPlainLineEnds = (text: string): string =>
  `rtrim(replace(replace(ltrim(${text}, chr(65279)), chr(13) || chr(10), chr(10)), chr(13), chr(10)), chr(10))`;

const afterReplay = `set constraints all immediate;
do $$ declare changed text; change record; begin
  select name into changed from migrations.own_migrations
    where ${withPlainLineEnds("content")} is distinct from ${withPlainLineEnds("(current_setting('routeql.own')::jsonb ->> name)")};
  if changed is not null then
    raise exception 'your migration % in the backup differs from the one that this stack has', changed;
  end if;
  for change in select * from suspended loop execute replace(change.change, '%s', change.steps[2]); end loop;
  for changed in select oid::regclass from pg_class where relkind = 'm' order by oid loop execute 'refresh materialized view ' || changed; end loop;
end $$;
`;

export interface AppliedMigrations {
  readonly applied: readonly string[];
  /** Of the operator. */
  readonly own: readonly string[];
}

/** A program for the database's container, and the bytes of its input before the backup. */
export interface RestoreProgram {
  readonly program: readonly string[];
  readonly head: Buffer;
}

/** @param migrations of the backup; the migrate job applies the others @param keepKeys whether the backup's signing keys stay valid */
export async function restoreProgram({ applied, own }: AppliedMigrations, keepKeys: boolean): Promise<RestoreProgram> {
  const schema = await Promise.all(applied.map((name) => readFile(join(folder, `${name}.sql`), "utf8")));
  const ownTables = own.length === 0 ? { before: "", after: "" } : { before: replay(own), after: afterReplay };
  const before = Buffer.from([empty, ...schema, ownTables.before].join("\n"));
  const current = applied.length === migrationNames().length;
  const grants = current ? await readFile(join(projectFolder, "database/migrate/grants.sql"), "utf8") : "";
  const after = Buffer.from(`${ownTables.after}${attachPartitions}${grants}${carryOver(keepKeys)}commit;${report}`);
  return {
    program: ["bash", "-o", "pipefail", "-c", script, onlyRows, String(after.length), String(before.length)],
    head: Buffer.concat([after, before]),
  };
}
