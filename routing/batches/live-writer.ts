import type { Client } from "pg";
import { inTurn } from "@routeql/database-access/advisory-locks";
import type { LogEntry } from "./live-log.ts";
import { sweepInSilence } from "./judge-staged.ts";
import { copyIntoStaging, insertStaged, prepareLiveStaging } from "./publish.ts";

/** Where the feed of a source stands in the database. */
export interface Place {
  /** Milliseconds since 1970: all updates until then are stored or lie in a gap. */
  readonly coveredUntil: number;
  /** End of the feed before this one; "never" if the source is new. */
  readonly before: "stopped" | "ended" | "never";
}

const time = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 23);

/** First lock key of a source's feed; the second one is the hash of its name. Locks with two keys do not meet those with one. */
export const feedLock = 7_201_010;

/** Makes this session the feed of the source until it ends. @returns whether no other session is */
export async function becomeFeed(client: Client, source: string): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>("select pg_try_advisory_lock($1, hashtext($2)) as taken", [
    feedLock,
    source,
  ]);
  return rows[0]?.taken === true;
}

/** Stores entries of a log. Each is one transaction: rows, gaps and the place of the feed change together. */
export class LiveWriter {
  private readonly client: Client;
  /** Null for a replay, which has no place and no gaps. */
  private readonly source: string | null;

  private constructor(client: Client, source: string | null) {
    this.client = client;
    this.source = source;
  }

  static async on(client: Client, source: string | null): Promise<LiveWriter> {
    await prepareLiveStaging(client);
    return new LiveWriter(client, source);
  }

  /** @param now of a source that never had a feed */
  async place(now: number): Promise<Place> {
    const { rowCount } = await this.client.query(
      `insert into routing.feed_sources (source, covered_until, beat_at) values ($1, $2, now() at time zone 'UTC')
       on conflict (source) do nothing`,
      [this.source, time(now)],
    );
    const { rows } = await this.client.query<{ covered: string; stopped: boolean }>(
      `update routing.feed_sources set beat_at = now() at time zone 'UTC', stopped = false
       from (select source, stopped from routing.feed_sources where source = $1) before
       where feed_sources.source = before.source
       returning (extract(epoch from covered_until) * 1000)::bigint::text as covered, before.stopped`,
      [this.source],
    );
    const before = rowCount === 1 ? "never" : rows[0]?.stopped === true ? "stopped" : "ended";
    return { coveredUntil: Number(rows[0]?.covered ?? now), before };
  }

  /** Stores one entry; a second time changes nothing. @param covered until when all is stored then @returns new rows */
  async write(entry: LogEntry, covered: number): Promise<number> {
    if (entry.kind !== "rows") {
      await inTransaction(this.client, async () => {
        await this.moveTo(covered, false);
        await this.writeGap(entry);
      });
      if (entry.kind === "alive") await sweepInSilence(this.client);
      return 0;
    }
    return inTurn(this.client, async () => {
      await copyIntoStaging(this.client, entry.text);
      const { first, last, days } = entry;
      // The clock of a replay is that of its record.
      const clock = this.source === null ? Date.parse(`${last}Z`) : Date.now();
      const added = await insertStaged(this.client, { first, last, days: [...days] }, clock);
      await this.moveTo(covered, false);
      return added;
    });
  }

  /** Records that the feed ends in order. */
  async stop(covered: number): Promise<void> {
    await this.moveTo(covered, true);
  }

  private async writeGap(entry: LogEntry): Promise<void> {
    if (entry.kind === "gap")
      await this.client.query(
        `insert into routing.feed_gaps (source, time_started, reason) values ($1, $2, $3)
         on conflict (source) where time_ended is null do nothing`,
        [this.source, time(entry.at), entry.reason],
      );
    if (entry.kind === "end")
      await this.client.query(
        `update routing.feed_gaps set time_ended = greatest(time_started, $2) where source = $1 and time_ended is null`,
        [this.source, time(entry.at)],
      );
    if (entry.kind === "found")
      await this.client.query(
        `insert into routing.feed_gaps (source, time_started, time_ended, reason)
         select $1, $2, $3, $4
         where not exists (
           select from routing.feed_gaps where source = $1 and time_started = $2::timestamp and time_ended = $3::timestamp)`,
        [this.source, time(entry.at), time(entry.end), entry.reason],
      );
  }

  private async moveTo(covered: number, stopped: boolean): Promise<void> {
    if (this.source === null) return;
    await this.client.query(
      `update routing.feed_sources
       set covered_until = greatest(covered_until, $2), beat_at = now() at time zone 'UTC', stopped = $3 where source = $1`,
      [this.source, time(covered), stopped],
    );
  }
}

async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query("begin");
  try {
    await work();
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {}); // the connection may have failed
    throw error;
  }
}
