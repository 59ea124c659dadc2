import { type OpenDatabase, withClient } from "@routeql/database-access/opened-database";
import { textBeside } from "@routeql/database-access/text-beside";
import type { DatabaseFacts, FeedFacts, FeedGap, LastRun } from "./report.ts";

/** A stack of an earlier version has no such table. */
const runsAreRecorded = "select to_regclass('migrations.finished_runs') is not null as recorded";
const runs = "select run, finished_at, bytes::float8 from migrations.finished_runs";

const logsExist = "select to_regclass('routing.old_updates') is not null as exist";
const unfilled = "select exists (select from routing.old_updates) as unfilled";

const feedsExist = "select to_regclass('public.view_feed_gaps') is not null as exist";
const feeds = `select source, to_char(covered_until, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as "coveredUntil" from routing.feed_sources order by source`;
const ownExist = "select to_regclass('migrations.own_migrations') is not null as exist";
const ownCount = "select count(*)::int as count from migrations.own_migrations";

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
  readonly clock: Date;
  readonly newest_record: Date | null;
  readonly read_only: boolean;
  readonly standby: boolean;
  readonly connections: NonNullable<DatabaseFacts["connections"]>;
  readonly archiver: DatabaseFacts["archiver"];
}

/** By how much the database's clock is ahead. A time within the query is no distance. @param start and end: by the local clock */
export const clockDistance = (clock: number, start: number, end: number): number =>
  clock - Math.min(Math.max(clock, start), end);

export function readDatabaseFacts(open: OpenDatabase): Promise<DatabaseFacts> {
  return withClient(open, "routeql status", async (client) => {
    await client.query("set default_transaction_read_only = on; set statement_timeout = '10s'");
    const query = textBeside(import.meta.url, "database-facts.sql");
    const start = Date.now();
    const [row] = (await client.query<Row>(query)).rows;
    const end = Date.now();
    const {
      newest_update: update,
      newest_hijack: hijack,
      newest_record: record,
      read_only: readOnly,
      clock,
      ...facts
    } = row!;
    const [{ recorded } = { recorded: false }] = (await client.query<{ recorded: boolean }>(runsAreRecorded)).rows;
    const finished = recorded ? (await client.query<RunRow>(runs)).rows : [];
    const [{ exist } = { exist: false }] = (await client.query<{ exist: boolean }>(logsExist)).rows;
    const [old] = exist ? (await client.query<{ unfilled: boolean }>(unfilled)).rows : [];
    const [{ exist: feedExists } = { exist: false }] = (await client.query<{ exist: boolean }>(feedsExist)).rows;
    const sources = feedExists ? (await client.query<Omit<FeedFacts, "gaps">>(feeds)).rows : [];
    const missing = feedExists
      ? (await client.query<FeedGap & { source: string }>(textBeside(import.meta.url, "feed-gaps.sql"))).rows
      : [];
    const [{ exist: ownExists } = { exist: false }] = (await client.query<{ exist: boolean }>(ownExist)).rows;
    const [own] = ownExists ? (await client.query<{ count: number }>(ownCount)).rows : [];
    const last = (name: string): LastRun | undefined => {
      const found = finished.find(({ run }) => run === name);
      return found && { at: found.finished_at.toISOString(), ...(found.bytes === null ? {} : { bytes: found.bytes }) };
    };
    return {
      ...facts,
      readOnly,
      clockDistance: clockDistance(clock.getTime(), start, end),
      newestRecord: record?.toISOString(),
      lastBackup: last("backup"),
      lastRestore: last("restore"),
      lastDrill: last("drill"),
      vrpsBuilt: last("vrps")?.at,
      ownMigrations: own?.count ?? 0,
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
