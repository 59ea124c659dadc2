import { type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import type { DatabaseFacts, FeedFacts, FeedGap, LastRun } from "./report.ts";

/** The states are those of `npm run keys -- list`. Retired keys are left out. */
const query = `
  with keys as (
    select signs_from, retires_at,
      case
        when signs_from > now() then 'next'
        when signs_from = max(signs_from) filter (where signs_from <= now()) over () then 'signing'
        else 'verifying'
      end as state
    from auth.signing_keys
    where retired_at is null and (retires_at is null or retires_at > now())
  )
  select
    current_setting('server_version') as version,
    array(select name from migrations.schema_migrations order by name) as migrations,
    coalesce((select jsonb_agg(jsonb_build_object('state', state, 'since', signs_from, 'retiresAt', retires_at) order by signs_from) from keys), '[]') as keys,
    (select max("timestamp") at time zone 'UTC' from routing.bgp_updates) as newest_update,
    (select max(time_last) at time zone 'UTC' from routing.hijacks) as newest_hijack,
    pg_database_size(current_database())::float8 as bytes,
    (select jsonb_build_object('failed', failed_count, 'failsSince',
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then to_char(last_failed_time at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') end)
      from pg_stat_archiver) as archiver`;

/** A stack of an earlier version has no such table. */
const runsAreRecorded = "select to_regclass('migrations.finished_runs') is not null as recorded";
const runs = "select run, finished_at, bytes::float8 from migrations.finished_runs";

const logsExist = "select to_regclass('routing.old_updates') is not null as exist";
const unfilled = "select exists (select from routing.old_updates) as unfilled";

const feedsExist = "select to_regclass('public.view_feed_gaps') is not null as exist";
const feeds = `select source, to_char(covered_until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "coveredUntil" from routing.feed_sources order by source`;
/** Gaps of the metric `feed_unfilled_gaps`, and those that last. */
const gaps = `
  select gap::float8 as gap, source, reason, to_char(time_started, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since,
    to_char(time_ended, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as until
  from public.view_feed_gaps
  where time_filled is null and (time_ended is null or time_ended > (now() at time zone 'UTC') - interval '7 days')
  order by time_started desc`;

interface RunRow {
  readonly run: string;
  readonly finished_at: Date;
  readonly bytes: number | null;
}

interface Row {
  readonly version: string;
  readonly migrations: readonly string[];
  readonly keys: DatabaseFacts["keys"];
  readonly newest_update: Date | null;
  readonly newest_hijack: Date | null;
  readonly bytes: number;
  readonly archiver: DatabaseFacts["archiver"];
}

export function readDatabaseFacts(open: OpenDatabase): Promise<DatabaseFacts> {
  return withClient(open, "routeql status", async (client) => {
    await client.query("set default_transaction_read_only = on; set statement_timeout = '10s'");
    const [row] = (await client.query<Row>(query)).rows;
    const { newest_update: update, newest_hijack: hijack, ...facts } = row!;
    const [{ recorded } = { recorded: false }] = (await client.query<{ recorded: boolean }>(runsAreRecorded)).rows;
    const finished = recorded ? (await client.query<RunRow>(runs)).rows : [];
    const [{ exist } = { exist: false }] = (await client.query<{ exist: boolean }>(logsExist)).rows;
    const [old] = exist ? (await client.query<{ unfilled: boolean }>(unfilled)).rows : [];
    const [{ exist: feedExists } = { exist: false }] = (await client.query<{ exist: boolean }>(feedsExist)).rows;
    const sources = feedExists ? (await client.query<Omit<FeedFacts, "gaps">>(feeds)).rows : [];
    const missing = feedExists ? (await client.query<FeedGap & { source: string }>(gaps)).rows : [];
    const last = (name: string): LastRun | undefined => {
      const found = finished.find(({ run }) => run === name);
      return found && { at: found.finished_at.toISOString(), ...(found.bytes === null ? {} : { bytes: found.bytes }) };
    };
    return {
      ...facts,
      lastBackup: last("backup"),
      lastRestore: last("restore"),
      lastDrill: last("drill"),
      vrpsBuilt: last("vrps")?.at,
      unfilled: old?.unfilled ?? false,
      feeds: sources.map((feed) => ({
        ...feed,
        gaps: missing
          .filter(({ source }) => source === feed.source)
          .map(({ gap, since, until, reason }) => ({ gap, since, until, reason })),
      })),
      newestUpdate: update?.toISOString() ?? null,
      newestHijack: hijack?.toISOString() ?? null,
    };
  });
}
