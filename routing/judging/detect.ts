import { readFile } from "node:fs/promises";
import type { Client } from "pg";
import { inTurn } from "@routeql/database-access/advisory-locks";
import type { Configuration } from "./configuration.ts";

export interface DetectReport {
  readonly configured: {
    readonly added: number;
    readonly changed: number;
    readonly removed: number;
    readonly total: number;
  };
  /** Updates within a configured prefix. */
  readonly compared: number;
  readonly hijacks: {
    readonly added: number;
    readonly updated: number;
    readonly outdated: number;
    readonly found: number;
  };
  /** Updates that were newly marked or linked. */
  readonly marked: number;
}

export interface DetectOptions {
  /** Delete configured prefixes that the configuration does not list. */
  readonly replace?: boolean;
}

/** Stores the configuration and detects hijacks, in one transaction. A second run on the same updates changes nothing. */
export async function detect(
  client: Client,
  configuration: Configuration,
  { replace = false }: DetectOptions = {},
): Promise<DetectReport> {
  // Several sorts and hashes run in one statement, and a hash may use twice work_mem. The process has a memory limit.
  await client.query("set work_mem = '64MB'; set hash_mem_multiplier = 1");
  return inTurn(client, () => run(client, configuration, replace));
}

async function run(client: Client, configuration: Configuration, replace: boolean): Promise<DetectReport> {
  const configured = await configure(client, configuration);
  const removed = replace ? await removeOthers(client, configuration) : [];
  await client.query(await statement("match"));
  await client.query(await statement("measure"));
  const recorded = await client.query<{ is_new: boolean }>(await statement("record"));
  const outdated = await client.query(await statement("outdate"), [removed]);
  const marked = await client.query(await statement("link"));
  const hijacks = countNew(recorded.rows);
  if (hijacks.added > 0) await client.query("select routing.analyse_hijacks()");
  const { rows } = await client.query<{ total: number; compared: number; found: number }>(
    `select (select count(*)::integer from routing.configured_prefixes) as total,
       (select count(*)::integer from judged_updates) as compared,
       (select count(*)::integer from measured_hijacks) as found`,
  );
  const [figures] = rows;
  if (figures === undefined) throw new Error("Postgres answered without the run's figures.");
  return {
    configured: { ...configured, removed: removed.length, total: figures.total },
    compared: figures.compared,
    hijacks: { ...hijacks, outdated: outdated.rowCount ?? 0, found: figures.found },
    marked: marked.rowCount ?? 0,
  };
}

async function configure(
  client: Client,
  { organisations, prefixes }: Configuration,
): Promise<{ added: number; changed: number }> {
  const names = new Map<string, string | null>();
  for (const { organisation } of prefixes) if (organisation !== null) names.set(organisation, null);
  for (const { id, name } of organisations) names.set(id, name);
  for (const [id, name] of names) await client.query("select routing.ensure_organisation($1, $2)", [id, name]);
  const { rows } = await client.query<{ is_new: boolean }>(await statement("configure"), [
    prefixes.map(({ prefix }) => prefix),
    prefixes.map(({ origins }) => `{${[...new Set(origins)].toSorted((a, b) => a - b).join(",")}}`),
    prefixes.map(({ organisation }) => organisation),
  ]);
  const { added, updated } = countNew(rows);
  return { added, changed: updated };
}

async function removeOthers(client: Client, { prefixes }: Configuration): Promise<string[]> {
  const { rows } = await client.query<{ prefix: string }>(
    "delete from routing.configured_prefixes where prefix <> all ($1::inet[]) returning prefix::text",
    [prefixes.map(({ prefix }) => prefix)],
  );
  return rows.map(({ prefix }) => prefix);
}

function countNew(rows: readonly { is_new: boolean }[]): { added: number; updated: number } {
  const added = rows.filter((row) => row.is_new).length;
  return { added, updated: rows.length - added };
}

async function statement(name: string): Promise<string> {
  return readFile(new URL(`${name}.sql`, import.meta.url), "utf8");
}
