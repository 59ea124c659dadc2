/** Tables whose changes the engine learns by notices: those behind everything that it may read. */
import type { Client } from "pg";
import type { EngineRights } from "./own-migrations.ts";

/** Creates and drops triggers until exactly the read tables have one. Run it as owner, after the grants. @returns a sentence for each change */
export async function watchTables(client: Client, { functions }: Pick<EngineRights, "functions">): Promise<string[]> {
  const { rowCount } = await client.query(
    `select from routing.watch_tables(
       array(select oid from pg_class where oid >= 16384 and relkind in ('r', 'p', 'v', 'm', 'f')
         and has_any_column_privilege('routeql_engine', oid, 'select')),
       array(select p.oid from unnest($1::text[], $2::text[]) given(schema, name)
         join pg_namespace n on nspname = given.schema join pg_proc p on pronamespace = n.oid and proname = given.name))`,
    [functions.map(({ schema }) => schema), functions.map(({ name }) => name)],
  );
  return rowCount === 0 ? [] : ["set the triggers that announce changes"];
}

/** Tells the engines that anything may have changed: triggers fire neither for new definitions nor for partitions that come and go. */
export const tellEverything = "select pg_notify('routeql_changes', '*')";
