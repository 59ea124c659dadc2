import type { Client } from "pg";
import { identityOf, type Time } from "../episodes.ts";
import { judgedIdentity, type KnownRecords } from "../judge.ts";
import type { ConfiguredPrefixes } from "../configured-prefixes.ts";
import { pathOf } from "./stored-rows.ts";

export interface RecordRow {
  readonly key: string;
  readonly prefix: string;
  readonly started: Time;
}

/** Records that no person and no configuration ended, and that overlap the time after `from`. @param prefixes undefined: all */
export async function changeableRecords(
  client: Client,
  prefixes: readonly string[] | undefined,
  from: Time,
): Promise<RecordRow[]> {
  const { rows } = await client.query<{ key: string; prefix: string; started: string }>(
    `select key, prefix::text, (extract(epoch from time_started) * 1000000)::bigint::text as started from routing.hijacks
     where not (resolved or ignored or outdated) and ($1::inet[] is null or prefix = any ($1))
       and (time_ended is null or time_ended >= 'epoch'::timestamp + $2::bigint * interval '1 microsecond')`,
    [prefixes ?? null, from],
  );
  return rows.map(({ started, ...row }) => ({ ...row, started: Number(started) }));
}

/**
 * Divides records by what a run does with them. A record whose announcements are judged otherwise now belongs to a previous
 * configuration: it becomes outdated if it is open, and stays as it is if it was withdrawn.
 */
export async function knownRecords(
  client: Client,
  prefixes: ConfiguredPrefixes,
  changeable: readonly RecordRow[],
): Promise<KnownRecords> {
  const keys = changeable.map(({ key }) => key);
  const { rows: announced } = await client.query<{
    key: string;
    prefix: string;
    hijacker: string;
    type: string;
    active: boolean;
    path: string;
    newest: string;
  }>(
    `select h.key, h.prefix::text, h.hijack_as as hijacker, h.type, h.active, array_to_string(l.as_path, ' ') as path,
       (extract(epoch from max(l."timestamp")) * 1000000)::bigint::text as newest
     from routing.update_links l join routing.hijacks h on h.key = l.hijack_key
     where l.hijack_key = any ($1) and l.type = 'A' group by h.key, l.as_path`,
    [keys],
  );
  const recomputed = new Map<string, Time>();
  const previous = new Map<string, boolean>();
  for (const { key, prefix, hijacker, type, active, path, newest } of announced)
    if (judgedIdentity(prefixes, prefix, pathOf(path)) === identityOf(prefix, Number(hijacker), type))
      recomputed.set(key, Math.max(Number(newest), recomputed.get(key) ?? 0));
    else previous.set(key, active);
  for (const key of previous.keys()) recomputed.delete(key);
  const outdated = new Set([...previous].flatMap(([key, active]) => (active ? [key] : [])));
  return { recomputed, outdated };
}
