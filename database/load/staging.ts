import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { expandPath } from "./as-path.ts";
import { Refusal } from "./refusal.ts";
import type { Update } from "./update.ts";

/** The index on the time is created after the rows, and only for an input of several chunks. */
const prepareStatements = `
  set temp_buffers = '32MB';
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
  truncate staged_updates;
  drop index if exists pg_temp.staged_updates_time;
  create temporary table if not exists staged_monitors (monitor text primary key, peer_asn bigint not null);
  truncate staged_monitors`;

/** Creates this session's empty staging tables; they end with the session. */
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
