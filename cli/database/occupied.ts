import { Failure } from "@routeql/host/failure";
import { restoreFile } from "./carry-over.ts";
import { outputOf, type Programs } from "../place/programs.ts";

/** Transactions of the operator's migrations, whose rows have that of their record. A restore gives all rows its own transaction. */
const ofMigrations = `select coalesce(array_agg(xmin), '{}') from migrations.own_migrations
  where not exists (select from migrations.finished_runs where run = 'restore')`;

/** Tables outside of RouteQL's schemas. @param transactions whose rows do not count, as a query; without any, empty tables count too */
const ownTables = (transactions: string): string => `
  with migrations as (select (${transactions}) as transactions)
  select coalesce(string_agg(c.oid::regclass::text, ', ' order by c.oid::regclass::text collate "C"), '')
  from pg_class c join pg_namespace n on n.oid = relnamespace, migrations
  where relkind in ('r', 'p') and not relispartition and relpersistence <> 't'
    and nspname not in ('auth', 'migrations', 'routing', 'information_schema') and nspname !~ '^pg_'
    and (nspname = 'public' or pg_get_userbyid(relowner) = current_user)
    -- The parent of routing.hijacks.
    and c.oid is distinct from to_regclass('public.view_hijacks')
    and not exists (select from pg_depend where classid = 'pg_class'::regclass and objid = c.oid and deptype = 'e')
    and case
      when transactions = '{}' or not has_table_privilege(c.oid, 'select') then true
      else query_to_xml(format('select 1 from %s where not (xmin = any (%L::xid[])) limit 1', c.oid::regclass, transactions), false, true, '')::text <> ''
    end`;

/** @throws Failure with the names of the data and of the operator's tables that a restore would delete, before it changes anything */
export async function refuseOccupied(programs: Programs): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command"];
  const ask = (query: string): Promise<string> => outputOf(programs, [...psql, query], "Inspecting the database");
  const exists = async (table: string): Promise<boolean> =>
    (await ask(`select to_regclass('${table}') is not null`)) === "t";
  const tables = await ask(
    ownTables((await exists("migrations.own_migrations")) ? ofMigrations : "select '{}'::xid[]"),
  );
  const found = [
    (await exists("auth.users")) ? await ask(restoreFile("occupied.sql")) : "",
    tables === "" ? "" : `your tables ${tables}`,
  ].filter((text) => text !== "");
  if (found.length === 0) return;
  throw new Failure(`The database is not empty: it has ${found.join(", ")}`, {
    remedy: "back it up first; --replace deletes its content and restores the backup in its place.",
  });
}
