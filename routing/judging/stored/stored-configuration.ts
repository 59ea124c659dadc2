import { createHash } from "node:crypto";
import type { Client } from "pg";
import { textBeside } from "@routeql/database-access/text-beside";
import { ConfiguredPrefixes } from "../configured-prefixes.ts";
import {
  type Autoignore,
  type Configuration,
  shownOrigins,
  wantedPeers,
} from "../configuration/parsed-configuration.ts";
import { originRule, type Rule } from "../rules.ts";

/** The configuration that the database has. */
export interface ActiveConfiguration {
  readonly version: string;
  readonly prefixes: ConfiguredPrefixes;
  readonly autoignore: readonly Autoignore[];
  /** Watched prefixes with the number of peers that each needs to be visible. */
  readonly minPeers: ReadonlyMap<string, number>;
}

export interface ConfiguredCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

interface StoredRow {
  readonly prefix: string;
  readonly length: number;
  readonly origins: string[];
  readonly organisation: string | null;
  readonly rules:
    | { readonly low: number; readonly high: number; readonly order: number; readonly rule: string }[]
    | null;
  readonly configured_at: string;
  readonly min_peers: number | null;
}

/** Stores a configuration beside the prefixes that are there, or instead of them. Its version changes if it differs. */
export async function storeConfiguration(
  client: Client,
  { organisations, prefixes, autoignore }: Configuration,
  replace: boolean,
): Promise<ConfiguredCounts> {
  const names = new Map<string, string | null>();
  for (const { organisation } of prefixes) if (organisation !== null) names.set(organisation, null);
  for (const { id, name } of organisations) names.set(id, name);
  for (const [id, name] of names) await client.query("select routing.ensure_organisation($1, $2)", [id, name]);
  const texts = new Map<Rule, { readonly id: string; readonly text: string }>();
  for (const { rules } of prefixes)
    for (const { rule } of rules)
      if (!texts.has(rule)) {
        const text = JSON.stringify(rule);
        texts.set(rule, { id: createHash("md5").update(text).digest("hex"), text });
      }
  const distinct = new Map([...texts.values()].map(({ id, text }) => [id, text]));
  await client.query(
    "insert into routing.detection_rules (id, rule) select * from unnest($1::text[], $2::jsonb[]) on conflict do nothing",
    [[...distinct.keys()], [...distinct.values()]],
  );
  const { rows } = await client.query<{ is_new: boolean }>(textBeside(import.meta.url, "configure.sql"), [
    prefixes.map(({ prefix }) => prefix),
    prefixes.map(({ rules }) => `{${shownOrigins(rules).join(",")}}`),
    prefixes.map(({ organisation }) => organisation),
    prefixes.map(({ rules }) =>
      JSON.stringify(rules.map(({ rule, ...place }) => ({ ...place, rule: texts.get(rule)?.id }))),
    ),
    prefixes.map(wantedPeers),
  ]);
  const { rowCount: removed } = await client.query(
    "delete from routing.configured_prefixes where $2 and prefix <> all ($1::inet[])",
    [prefixes.map(({ prefix }) => prefix), replace],
  );
  const counts = {
    added: rows.filter((row) => row.is_new).length,
    changed: rows.filter((row) => !row.is_new).length,
    removed: removed ?? 0,
  };
  const isChanged = counts.added + counts.changed + counts.removed > 0;
  await client.query(
    `insert into routing.detection as known (version, autoignore) values ((extract(epoch from clock_timestamp()) * 1000000)::bigint, coalesce($1::jsonb, '[]'))
     on conflict (single) do update set version = excluded.version, autoignore = coalesce($1::jsonb, known.autoignore)
     where $2 or known.autoignore is distinct from coalesce($1::jsonb, known.autoignore)`,
    [autoignore === null ? null : JSON.stringify(autoignore), isChanged],
  );
  return counts;
}

/** The version of the database's configuration. @returns undefined before the first `detect` */
export async function storedVersion(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ version: string }>("select version::text from routing.detection");
  return rows[0]?.version;
}

/** @returns undefined before the first `detect` */
export async function activeConfiguration(client: Client): Promise<ActiveConfiguration | undefined> {
  const { rows } = await client.query<{ version: string; autoignore: Autoignore[] }>(
    "select version::text, autoignore from routing.detection",
  );
  const [active] = rows;
  if (active === undefined) return undefined;
  const rules = await client.query<{ id: string; rule: Rule }>("select id, rule from routing.detection_rules");
  const byId = new Map(rules.rows.map(({ id, rule }) => [id, rule]));
  const stored = await client.query<StoredRow>(
    `select prefix::text, masklen(prefix) as length, origins, organisation, rules, min_peers,
       (extract(epoch from configured_at) * 1000000)::bigint::text as configured_at
     from routing.configured_prefixes`,
  );
  const configured = stored.rows.flatMap(({ prefix, length, origins, organisation, rules: places, configured_at }) => {
    const common = { prefix, organisation, configuredAt: Number(configured_at) };
    if (places === null)
      return [{ ...common, low: length, high: length, order: 0, rule: originRule("origins", origins.map(Number)) }];
    return places.map(({ low, high, order, rule: id }) => {
      const rule = byId.get(id);
      if (rule === undefined) throw new Error(`The rule ${id} of ${prefix} is missing in routing.detection_rules.`);
      return { ...common, low, high, order, rule };
    });
  });
  const watched = stored.rows.flatMap(({ prefix, min_peers: least }) =>
    least === null ? [] : [[prefix, least] as const],
  );
  return {
    version: active.version,
    autoignore: active.autoignore,
    prefixes: new ConfiguredPrefixes(configured),
    minPeers: new Map(watched),
  };
}
