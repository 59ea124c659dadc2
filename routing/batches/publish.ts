import { pipeline } from "node:stream/promises";
import type { Client } from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { inTurn } from "@routeql/database-access/advisory-locks";
import { hasOtherKinds, insertStatement } from "./insert-statement.ts";
import { isConfigured, judgeStaged } from "./judge-staged.ts";
import { expandPath } from "../formats/as-path.ts";
import { Refusal } from "../formats/refusal.ts";
import type { Update } from "../formats/update.ts";

const stagingTables = (onCommit: "preserve" | "delete"): string => `
  create temporary table if not exists staged_updates (
    ordinal bigint not null,
    member integer not null,
    repetition bigint,
    monitor text,
    "timestamp" timestamp not null,
    prefix inet not null,
    peer_asn bigint,
    type text not null,
    as_path bigint[] not null,
    communities json not null,
    service text not null,
    orig_path json
  ) on commit ${onCommit} rows;
  create temporary table if not exists staged_monitors (monitor text primary key, peer_asn bigint not null)`;

/** The index on the time is created after the rows, and only for an input of several chunks. */
const prepareStatements = `
  set temp_buffers = '32MB';
  ${stagingTables("preserve")};
  truncate staged_updates, staged_monitors;
  drop index if exists pg_temp.staged_updates_time`;

/** Creates this session's empty staging tables; they end with the session. */
export async function prepareStaging(client: Client): Promise<void> {
  await client.query(prepareStatements);
}

/** Creates the staging tables of a live source, which each commit empties. */
export async function prepareLiveStaging(client: Client): Promise<void> {
  await client.query(`${stagingTables("delete")}; ${insertProgress}`);
}

/** Streams rows in COPY's text format into the staging table, as fast as the server accepts them. */
export async function copyIntoStaging(
  client: Client,
  rows: AsyncIterable<string> | Iterable<Buffer | string>,
): Promise<void> {
  await pipeline(rows, client.query(copyFrom("copy staged_updates from stdin")));
}

/**
 * The rows of one update in COPY's text format, from validated texts.
 * @param ordinal its position, which distinguishes repetitions @param repetition its number among equal updates, if it is known
 */
export function stagedRows(
  update: Update,
  ordinal: number,
  member: number,
  repetition?: number,
): { text: string; count: number } | Refusal {
  const expanded = expandPath(update.path);
  if (expanded instanceof Refusal) return expanded;
  const monitor = update.monitor ?? "\\N";
  const peerAsn = update.peerAsn ?? "\\N";
  const before = `${ordinal}\t${member}\t${repetition ?? "\\N"}\t${monitor}\t${update.timestamp}\t${update.prefix}\t${peerAsn}\t${update.type}\t{`;
  const after = `}\t${update.communities}\t${update.service}\t${expanded.original ?? "\\N"}\n`;
  let text = "";
  for (const path of expanded.rows) text += before + path.join(",") + after;
  return { text, count: expanded.rows.length };
}

/** Creates a function that reports the rows of a running INSERT; Postgres sends a notice to the client at once. */
const insertProgress = `
  create or replace function pg_temp.show_progress(rows bigint) returns boolean language plpgsql volatile as $$
  begin
    raise notice using message = 'rows', detail = rows::text;
    return true;
  end $$`;

/** Runs `work` and passes on the numbers that the function above reports. */
async function countInserts<T>(client: Client, onRows: (rows: number) => void, work: () => Promise<T>): Promise<T> {
  const listener = ({
    message,
    detail,
  }: {
    readonly message: string | undefined;
    readonly detail?: string | undefined;
  }): void => {
    if (message === "rows") onRows(Number(detail));
  };
  client.on("notice", listener);
  try {
    return await work();
  } finally {
    client.off("notice", listener);
  }
}

/** Summary of the staged rows from the reading step. */
export interface StagedInput {
  readonly rows: number;
  /** Days with rows, `YYYY-MM-DD`. */
  readonly days: ReadonlySet<string>;
  /** Whether a row names a monitor, whose AS has to be found. */
  readonly monitors: boolean;
}

export interface PublishOptions {
  /** Rows of one transaction. */
  readonly chunkRows?: number;
  /** Called at each commit and about every second between commits, with the rows that are done. */
  readonly onRows?: (rows: number) => void;
}

/** A span of time, from the first up to but without the end. Both as Postgres prints timestamps. */
interface Chunk {
  readonly first: string;
  readonly end: string;
  readonly rows: number;
}

/** Rows of a chunk, sorted by prefix so that each page of its index changes once per chunk. The memory of the sort limits it. */
const CHUNK_ROWS = 500_000;

/** Rows of a chunk beside a feed, whose updates wait for the turn: about a second. */
const CHUNK_ROWS_BESIDE_FEED = 25_000;

/** Whether a feed has written within the last minute. */
const besideFeed =
  "select exists (select from routing.feed_sources where beat_at > (now() at time zone 'UTC') - interval '1 minute') as beside";

/** Small: a query for the newest rows skips every row of a newer uncommitted transaction, and 500,000 of them take it 400 ms. */
const FIRST_CHUNK_ROWS = 4_000;
const CHUNK_GROWTH = 4;

/** Rows from which a load renews the planner's statistics. */
const ANALYSE_FROM = 1000;

/**
 * Moves staged rows into routing.bgp_updates; committed chunks stay when interrupted. The newest rows come first, because readers ask for
 * them; with a configuration the oldest, because hijacks are judged in the order of time. @returns new rows
 */
export async function publishStaged(
  client: Client,
  staged: StagedInput,
  options: PublishOptions = {},
): Promise<number> {
  const { onRows } = options;
  const { rows: feeds } = await client.query<{ beside: boolean }>(besideFeed);
  const chunkRows = options.chunkRows ?? (feeds[0]?.beside === true ? CHUNK_ROWS_BESIDE_FEED : CHUNK_ROWS);
  await client.query("set work_mem = '192MB'");
  if (staged.monitors) await client.query(identifyMonitors);
  const several = staged.rows > Math.min(chunkRows, FIRST_CHUNK_ROWS);
  if (several)
    await client.query(
      'create index staged_updates_time on staged_updates ("timestamp"); analyze staged_updates ("timestamp")',
    );
  await client.query(insertProgress);
  let done = 0;
  let loaded = 0;
  const chunks = several
    ? chunksByTime(client, chunkRows, await isConfigured(client))
    : [await wholeChunk(client, staged.rows)];
  for await (const chunk of chunks) {
    const before = done;
    loaded += await countInserts(
      client,
      (rows) => onRows?.(before + rows),
      () => publish(client, chunk, staged.days),
    );
    done += chunk.rows;
    onRows?.(done);
  }
  if (loaded >= ANALYSE_FROM) await inTurn(client, () => client.query("select routing.analyse_updates()"));
  return loaded;
}

/** All rows. */
async function wholeChunk(client: Client, count: number): Promise<Chunk> {
  const { rows } = await client.query<Omit<Chunk, "rows">>(
    `select coalesce(date_trunc('second', min("timestamp")), '-infinity')::text as first,
       coalesce(date_trunc('second', max("timestamp")) + interval '1 second', 'infinity')::text as end from staged_updates`,
  );
  return { first: "-infinity", end: "infinity", ...rows[0], rows: count };
}

/** Rows of one second are never divided, because their repetitions are counted together. */
async function* chunksByTime(client: Client, chunkRows: number, oldestFirst: boolean): AsyncGenerator<Chunk> {
  let first = "-infinity";
  let end = "infinity";
  for (let size = FIRST_CHUNK_ROWS; ; size *= CHUNK_GROWTH) {
    const { rows } = await client.query<{ bound: string | null }>(oldestFirst ? endOfOldest : startOfNewest, [
      oldestFirst ? first : end,
      Math.min(size, chunkRows),
    ]);
    const bound = rows[0]?.bound ?? null;
    if (bound === null) return;
    if (oldestFirst) end = bound;
    else first = bound;
    const counted = await client.query<{ rows: string }>(
      'select count(*) as rows from staged_updates where "timestamp" >= $1 and "timestamp" < $2',
      [first, end],
    );
    yield { first, end, rows: Number(counted.rows[0]?.rows) };
    if (oldestFirst) first = end;
    else end = first;
  }
}

const startOfNewest = `
  select date_trunc('second', min("timestamp"))::text as bound
  from (select "timestamp" from staged_updates where "timestamp" < $1 order by "timestamp" desc limit $2) chunk`;

const endOfOldest = `
  select (date_trunc('second', max("timestamp")) + interval '1 second')::text as bound
  from (select "timestamp" from staged_updates where "timestamp" >= $1 order by "timestamp" limit $2) chunk`;

async function publish(client: Client, { first, end }: Chunk, days: ReadonlySet<string>): Promise<number> {
  const ofChunk = [...days].filter((day) => day >= first.slice(0, 10) && day <= end.slice(0, 10));
  return inTurn(client, () => insert(client, { first, end, days: ofChunk }, Date.now()));
}

/** Inserts all staged rows, inside the caller's turn. @param clock milliseconds: a hijack that was silent until then is dormant @returns new rows */
export async function insertStaged(
  client: Client,
  { first, last, days }: { readonly first: string; readonly last: string; readonly days: readonly string[] },
  clock: number,
): Promise<number> {
  const end = new Date(Date.parse(`${last.slice(0, 19)}Z`) + 1000).toISOString().slice(0, 19);
  return insert(client, { first: first.slice(0, 19), end, days }, clock);
}

async function insert(
  client: Client,
  { first, end, days }: Omit<Chunk, "rows"> & { readonly days: readonly string[] },
  clock: number,
): Promise<number> {
  // In the same turn as the rows: otherwise a prune could drop the empty partition.
  await client.query("select routing.ensure_partitions(day, day) from unnest($1::timestamp[]) day", [days]);
  const { rows } = await client.query<{ present: boolean }>(hasOtherKinds, [first, end]);
  const compares = rows[0]?.present === true;
  const judged = await judgeStaged(client, { first, end, clock }, compares);
  const { rowCount } = await client.query(insertStatement(compares, judged?.marked === true), [first, end]);
  await judged?.save();
  return rowCount ?? 0;
}

/** If the source does not name a monitor's AS, the first AS of most of its announced paths identifies it. */
const identifyMonitors = `
  insert into staged_monitors (monitor, peer_asn)
  select monitor, mode() within group (order by peer_asn)
  from staged_updates where monitor is not null and peer_asn is not null group by monitor`;
