/**
 * How a backup becomes a database again without running any of its SQL: this checkout's migrations make the schema, and the file
 * contributes rows. A file could otherwise carry functions, settings or commands of psql.
 * @module
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { migrationNames } from "@routeql/database/shared/migration-names";
import { projectFolder } from "@routeql/host/paths";
import { backedUpSchemas } from "./backup.ts";
import { carryOver, remember, report } from "./carry-over.ts";

const folder = join(projectFolder, "database/migrations");

/**
 * Passes rows on, drops what a dump always contains, and fails on any other line. The dump's own names for partitions become new tables,
 * which get their indexes after their rows. The end of the rows is recognised exactly as psql recognises it.
 */
const onlyRows = String.raw`
copying { print; if ($0 ~ /^\\\.\r?$/) copying = 0; next }
/^COPY (auth|migrations|routing)\.[a-z_0-9]+ \([a-z_0-9", ]+\) FROM stdin;$/ {
  if ($2 ~ /^routing\.bgp_updates_[0-9]+$/) print "create table " $2 " (like routing.bgp_updates including all excluding indexes);"
  print; copying = 1; next
}
/^SELECT pg_catalog\.setval\('(auth|migrations)\.[a-z_0-9]+', [0-9]+, (true|false)\);$/ { print; next }
/^$|^--|^SET [a-z_]+ = [^;]*;$|^SELECT pg_catalog\.set_config\('search_path', '', false\);$|^\\(un)?restrict [A-Za-z0-9]+$/ { next }
{ print "The file contains SQL that no backup contains: " substr($0, 1, 200) >"/dev/stderr"; exit 3 }
`;

/** One transaction: only a dump that was read to its end is committed. psql ends a line at a zero byte, awk does not. */
const script = `after=$(head -c "$1") && { head -c "$2" && pg_restore --data-only --exit-on-error --file=- | tr -d '\\000' | awk "$0" \
&& printf '%s\\n' "$after"; } | psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=- --output=/dev/null`;

/** Everything that the owner has in the database. The schema public belongs to the database's owner by another name. */
const empty = `begin;
${remember}-- Postgres warns of each function whose superuser-given right the owner cannot revoke from itself.
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

/** A program for the database's container, and the bytes of its input before the backup. */
export interface RestoreProgram {
  readonly program: readonly string[];
  readonly head: Buffer;
}

/**
 * @param applied the migrations that the backup has; the migrate job applies the others afterwards
 * @param keepKeys whether the signing keys of the backup stay valid
 */
export async function restoreProgram(applied: readonly string[], keepKeys: boolean): Promise<RestoreProgram> {
  const schema = await Promise.all(applied.map((name) => readFile(join(folder, `${name}.sql`), "utf8")));
  const before = Buffer.from([empty, ...schema, ""].join("\n"));
  const current = applied.length === migrationNames().length;
  const grants = current ? await readFile(join(projectFolder, "database/migrate/grants.sql"), "utf8") : "";
  const after = Buffer.from(`${attachPartitions}${grants}${carryOver(keepKeys)}commit;${report}`);
  return {
    program: ["bash", "-o", "pipefail", "-c", script, onlyRows, String(after.length), String(before.length)],
    head: Buffer.concat([after, before]),
  };
}
