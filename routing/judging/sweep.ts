import type { Client } from "pg";
import { ConfiguredPrefixes } from "./configured-prefixes.ts";
import type { Time } from "./episodes.ts";
import type { Autoignore } from "./configuration/parsed-configuration.ts";
import { originRule } from "./rules.ts";
import type { ActiveConfiguration } from "./stored/stored-configuration.ts";

/**
 * What silence changes: hijacks become dormant after 24 hours, and ignored by a rule.
 *
 * @param now clock of the updates, which a replay takes from its record @param machine clock for autoignore, which compares the time of detection
 */
export async function sweep(
  client: Client,
  { autoignore }: ActiveConfiguration,
  now: Time,
  machine: Time = now,
): Promise<void> {
  await client.query(
    `update routing.hijacks set dormant = true
     where active and not dormant and time_last < 'epoch'::timestamp + ($1::bigint - 86400000000) * interval '1 microsecond'`,
    [now],
  );
  if (autoignore.every(({ seconds }) => seconds === 0)) return;
  const { rows } = await client.query<{ key: string; prefix: string; peers: number; ases: number; updated: string }>(
    `select key, prefix::text, num_peers_seen as peers, num_asns_inf as ases,
       (extract(epoch from greatest(time_last, time_detected)) * 1000000)::bigint::text as updated
     from routing.hijacks where active`,
  );
  const ruleOf = autoignoreRules(autoignore);
  const ignored = rows.filter(({ prefix, peers, ases, updated }) => {
    const rule = ruleOf(prefix);
    if (rule === undefined || rule.seconds === 0) return false;
    return machine - Number(updated) > rule.seconds * 1_000_000 && peers < rule.peers && ases < rule.ases;
  });
  if (ignored.length > 0)
    await client.query("update routing.hijacks set ignored = true where key = any ($1) and active", [
      ignored.map(({ key }) => key),
    ]);
}

/** The rule of a prefix: that of the longest prefix around it, of several the first one. One of 0 seconds protects its prefixes. */
function autoignoreRules(rules: readonly Autoignore[]): (prefix: string) => Autoignore | undefined {
  const byName = new Map(rules.map((rule) => [rule.name, rule]));
  const prefixes = new ConfiguredPrefixes(
    rules.flatMap(({ name, prefixes: ranges }, order) =>
      ranges.map((range) => ({ ...range, order, rule: originRule(name, []), configuredAt: 0, organisation: null })),
    ),
  );
  return (prefix) => byName.get(prefixes.find(prefix)?.rules[0]?.rule.name ?? "");
}
