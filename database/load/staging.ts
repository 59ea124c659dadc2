import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { expandPath } from "./as-path.ts";
import { Refusal } from "./refusal.ts";
import { inTurn } from "../shared/turn.ts";
import type { Update } from "./update.ts";

/** Postgres' memory for the staging table and for sorting it; the server has room for a few concurrent loads. */
const prepareStatements = `
  set temp_buffers = '32MB';
  set work_mem = '64MB';
  create temporary table if not exists staged_updates (
    ordinal bigint not null,
    member integer not null,
    monitor text,
    "timestamp" timestamp not null,
    prefix inet not null,
    peer_asn bigint,
    type text not null,
    as_path bigint[] not null,
    communities json not null,
    service text not null,
    orig_path json
  );
  truncate staged_updates`;

/** Creates this session's empty staging table; it ends with the session. */
export async function prepareStaging(client: Client): Promise<void> {
  await client.query(prepareStatements);
}

/** Streams rows in COPY's text format into the staging table, as fast as the server accepts them. */
export async function copyIntoStaging(client: Client, rows: AsyncIterable<string>): Promise<void> {
  await pipeline(rows, client.query(copyFrom("copy staged_updates from stdin")));
}

/**
 * The rows of one update in COPY's text format. Nothing needs escaping, because every text was validated.
 * @param ordinal the update's position in its input, which distinguishes repetitions.
 */
export function stagedRows(update: Update, ordinal: number, member: number): { text: string; count: number } | Refusal {
  const expanded = expandPath(update.path);
  if (expanded instanceof Refusal) return expanded;
  const monitor = update.monitor ?? "\\N";
  const peerAsn = update.peerAsn ?? "\\N";
  const before = `${ordinal}\t${member}\t${monitor}\t${update.timestamp}\t${update.prefix}\t${peerAsn}\t${update.type}\t{`;
  const after = `}\t${update.communities}\t${update.service}\t${expanded.original ?? "\\N"}\n`;
  let text = "";
  for (const path of expanded.rows) text += before + path.join(",") + after;
  return { text, count: expanded.rows.length };
}

/** Rows from which a load renews the planner's statistics. */
const ANALYSE_FROM = 1000;

/**
 * Moves all staged rows into routing.bgp_updates, or none.
 * If the source does not name a monitor's AS, the first AS of most of its announced paths identifies it.
 * @returns the number of new rows.
 */
export async function publishStaged(client: Client, days: Iterable<string>): Promise<number> {
  const { rowCount } = await inTurn(client, async () => {
    // In the same turn as the rows: otherwise a prune could drop the empty partition.
    await client.query("select routing.ensure_partitions(day, day) from unnest($1::timestamp[]) day", [[...days]]);
    return client.query(publish);
  });
  if (rowCount !== null && rowCount >= ANALYSE_FROM) await inTurn(client, () => client.query("select routing.analyse_updates()"));
  return rowCount ?? 0;
}

const publish = `
  with known as (
    select monitor, mode() within group (order by peer_asn) as peer_asn
    from staged_updates where monitor is not null and peer_asn is not null group by monitor
  ), named as (
    select s.ordinal, s.member, s."timestamp", network(s.prefix)::inet as prefix, coalesce(s.peer_asn, known.peer_asn) as peer_asn,
      s.type, s.as_path, s.service, s.communities, s.orig_path
    from staged_updates s left join known on known.monitor = s.monitor
  ), identified as (
    select *, routing.update_identity("timestamp", prefix, peer_asn, type, as_path, service) as identity from named
  )
  insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, communities, "timestamp", orig_path)
  select routing.update_key(identity, row_number() over (partition by identity, member order by ordinal) - 1), prefix,
    coalesce(as_path[cardinality(as_path)], -1), peer_asn, as_path, service, type, communities, "timestamp", orig_path
  from identified
  on conflict do nothing`;
