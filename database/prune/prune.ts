import { setTimeout as delay } from "node:timers/promises";
import { Client, DatabaseError } from "pg";

/** One day's partition and what was, or would be, done with it. */
export interface PrunedDay {
  /** ISO 8601 date. */
  readonly day: string;
  readonly removed: number;
  /** Updates that belong to a hijack; they stay as long as their record. */
  readonly kept: number;
}

export interface PruneOptions {
  /** Days before this one (UTC, ISO 8601 date) go. */
  readonly before: string;
  /** Only says what would be done. */
  readonly dryRun: boolean;
  readonly onDay?: (day: PrunedDay) => void;
}

/** How often a day is tried while long queries are in the way, each time for two seconds. */
const attempts = 30;
const lockNotAvailable = "55P03";

interface Partition {
  readonly name: string;
  readonly day: string;
}

async function partitionsBefore(client: Client, before: string): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select name, to_char(day, 'YYYY-MM-DD') as day
       from (select c.relname as name, to_date(substring(c.relname from '^bgp_updates_(\\d{8})$'), 'YYYYMMDD') as day
               from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'routing.bgp_updates'::regclass) p
      where day < $1::date order by day`,
    [before],
  );
  return rows;
}

async function countUpdates(client: Client, { name, day }: Partition): Promise<PrunedDay> {
  const { rows } = await client.query<{ removed: string; kept: string }>(
    `select count(*) filter (where hijack_key = '{}') as removed, count(*) filter (where hijack_key <> '{}') as kept
       from routing.${client.escapeIdentifier(name)}`,
  );
  return { day, removed: Number(rows[0]?.removed), kept: Number(rows[0]?.kept) };
}

/** A new partition takes the old one's place in one step, so that no reader misses a row that stays. */
async function replacePartition(client: Client, partition: Partition): Promise<PrunedDay> {
  const { name, day } = partition;
  const old = client.escapeIdentifier(name);
  const fresh = client.escapeIdentifier(`${name}_kept`);
  const copy = [
    `create table routing.${fresh} (like routing.bgp_updates including all)`,
    `insert into routing.${fresh} select * from routing.${old} where hijack_key <> '{}'`,
  ];
  const put = [
    `alter table routing.${fresh} rename to ${old}`,
    `alter table routing.bgp_updates attach partition routing.${old} for values from ('${day}') to (date '${day}' + 1)`,
  ];
  // From here on a writer of this day waits, a load or a detection: what it would link now could not be kept.
  await client.query(`lock table routing.${old} in share row exclusive mode`);
  const counted = await countUpdates(client, partition);
  if (counted.kept > 0) await client.query(copy.join(";"));
  // And readers of any day for the moment of the change.
  await client.query(`alter table routing.bgp_updates detach partition routing.${old}`);
  await client.query(`drop table routing.${old}`);
  if (counted.kept > 0) await client.query(put.join(";"));
  return counted;
}

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    await client.query("begin; set local lock_timeout = '2s'");
    try {
      const result = await work();
      await client.query("commit");
      return result;
    } catch (error) {
      await client.query("rollback");
      if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
      if (attempt === attempts) throw new Error("a load or a long query was in the way all the time; what is done stays done, run this again later", { cause: error });
      // Whoever queued behind the request goes first.
      await delay(1000);
    }
  }
}

/**
 * Takes away the updates of old days, whole partitions at a time, but for those that belong to a hijack. The same again changes nothing.
 * @param client connected as the owner
 * @returns the days that had something to take away, the oldest first
 */
export async function prune(client: Client, { before, dryRun, onDay }: PruneOptions): Promise<PrunedDay[]> {
  const days: PrunedDay[] = [];
  for (const partition of await partitionsBefore(client, before)) {
    const counted = await countUpdates(client, partition);
    if (counted.removed === 0 && counted.kept > 0) continue;
    const pruned = dryRun ? counted : await inTransaction(client, () => replacePartition(client, partition));
    days.push(pruned);
    onDay?.(pruned);
  }
  return days;
}
