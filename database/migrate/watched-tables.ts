/** Tables whose changes the engine learns by notices: those that the kit's metadata and the operator's read. */
import type { Client } from "pg";
import type { EngineRights } from "./own-migrations.ts";

type Names = readonly { readonly schema: string; readonly name: string }[];

/** The relations of hasura-metadata, for a stack without other metadata. */
const tracked: Names = [
  "view_bgpupdates",
  "view_hijacks",
  "view_bgpupdates_hijacks",
  "view_configured_prefixes",
  "view_bgpupdates_log",
  "view_hijacks_log",
  "view_log_generations",
].map((name) => ({ schema: "public", name }));

/** Creates and drops triggers until exactly the read tables have one. Run it as owner. @returns a sentence for each change */
export async function watchTables(client: Client, { tables, functions }: EngineRights): Promise<string[]> {
  const columns = (names: Names): string[][] => [names.map(({ schema }) => schema), names.map(({ name }) => name)];
  const { rowCount } = await client.query(
    `select from routing.watch_tables(
       array(select c.oid from unnest($1::text[], $2::text[]) given(schema, name)
         join pg_namespace n on nspname = given.schema join pg_class c on relnamespace = n.oid and relname = given.name),
       array(select p.oid from unnest($3::text[], $4::text[]) given(schema, name)
         join pg_namespace n on nspname = given.schema join pg_proc p on pronamespace = n.oid and proname = given.name))`,
    [...columns([...tracked, ...tables]), ...columns(functions)],
  );
  return rowCount === 0 ? [] : ["set which tables tell their changes"];
}

/** Tells the engines that anything may have changed: triggers fire neither for new definitions nor for partitions that come and go. */
export const tellEverything = "select pg_notify('routeql_changes', '*')";
