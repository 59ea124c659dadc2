import type { Client } from "pg";
import { exchange, type Partition, partitionsBefore, tellUpdates } from "../partitions/partitions.ts";
import { alone, patiently } from "../partitions/patience.ts";

/** A month's old days with the numbers of rows that were, or would be, deleted. */
export interface PrunedDays {
  /** ISO 8601 dates, the last one included. */
  readonly first: string;
  readonly last: string;
  readonly removed: number;
  /** Updates that belong to a hijack; they stay as long as their record. */
  readonly kept: number;
}

export interface PruneOptions {
  /** Days before this one (UTC, ISO 8601 date) are deleted. */
  readonly before: string;
  readonly dryRun: boolean;
  /** Updates deleted row by row in one transaction; small, so that other work waits briefly. */
  readonly batch?: number;
  readonly onDays?: (days: PrunedDays) => void;
}

/** The rows of a partition before a date. */
interface Span extends Partition {
  /** ISO 8601 date, the partition's own end or an earlier one. */
  readonly until: string;
}

async function countUpdates(client: Client, { name, first, until }: Span): Promise<PrunedDays> {
  const { rows } = await client.query<{ removed: string; kept: string; last: string }>(
    `select count(*) filter (where hijack_key = '{}') as removed, count(*) filter (where hijack_key <> '{}') as kept, to_char($1::date - 1, 'YYYY-MM-DD') as last
       from routing.${client.escapeIdentifier(name)} where "timestamp" < $1`,
    [until],
  );
  return { first, last: String(rows[0]?.last), removed: Number(rows[0]?.removed), kept: Number(rows[0]?.kept) };
}

async function replace(client: Client, span: Span): Promise<PrunedDays> {
  return patiently(client, async () => {
    const counted = await countUpdates(client, span);
    const kept = await exchange(client, span, "hijacked");
    return { ...counted, removed: counted.removed + counted.kept - kept, kept };
  });
}

/** Deletes the days row by row, batch by batch in the order of time. Rows linked to a hijack meanwhile stay. */
async function deleteRows(client: Client, { name, first, until }: Span, batch: number): Promise<number> {
  const table = `routing.${client.escapeIdentifier(name)}`;
  const next = `select (max("timestamp") + interval '1 microsecond')::text as next from
    (select "timestamp" from ${table} where "timestamp" >= $1 and "timestamp" < $2 order by "timestamp" limit ${batch}) batch`;
  let removed = 0;
  for (let from = first; ;) {
    const to = (await client.query<{ next: string | null }>(next, [from, until])).rows[0]?.next ?? null;
    if (to === null) break;
    const bounds = [from, to];
    const { rowCount } = await patiently(client, async () => {
      await client.query(tellUpdates);
      return client.query(
        `delete from ${table} where "timestamp" >= $1 and "timestamp" < $2 and hijack_key = '{}'`,
        bounds,
      );
    });
    removed += rowCount ?? 0;
    from = to;
  }
  // Frees the space for later updates of the month at once, without waiting for other sessions.
  await client.query(`vacuum (skip_locked, truncate off) ${table}`);
  return removed;
}

/** Deletes updates of old days that belong to no hijack, a partition or rows of it. @returns the partitions, the oldest first */
export async function prune(client: Client, options: PruneOptions): Promise<PrunedDays[]> {
  return alone(client, () => pruneAlone(client, options));
}

async function pruneAlone(
  client: Client,
  { before, dryRun, batch = 20_000, onDays }: PruneOptions,
): Promise<PrunedDays[]> {
  const pruned: PrunedDays[] = [];
  for (const partition of await partitionsBefore(client, before)) {
    const whole = partition.after <= before;
    const span = { ...partition, until: whole ? partition.after : before };
    const counted = await countUpdates(client, span);
    if (counted.removed === 0 && (counted.kept > 0 || !whole)) continue;
    const days = dryRun
      ? counted
      : whole
        ? await replace(client, span)
        : { ...counted, removed: await deleteRows(client, span, batch) };
    pruned.push(days);
    onDays?.(days);
  }
  for (const partition of await partitionsAhead(client)) {
    const counted = await countUpdates(client, { ...partition, until: partition.after });
    const removed = counted.removed + counted.kept;
    if (!dryRun) await dropAhead(client, partition);
    const days = { ...counted, removed, kept: 0 };
    pruned.push(days);
    onDays?.(days);
  }
  return pruned;
}

/** Partitions that begin after tomorrow. No load creates them now; a load of an earlier version could. */
async function partitionsAhead(client: Client): Promise<Partition[]> {
  const { rows } = await client.query<{ last: string }>(
    "select to_char((now() at time zone 'UTC') + interval '1 day', 'YYYY-MM-DD') as last",
  );
  const last = String(rows[0]?.last);
  return (await partitionsBefore(client)).filter(({ first }) => first > last);
}

/** Updates of the future are wrong also where they belong to a hijack. Their deletion removes the links too. */
async function dropAhead(client: Client, partition: Partition): Promise<void> {
  await patiently(client, async () => {
    await client.query(`delete from routing.${client.escapeIdentifier(partition.name)}`);
    await exchange(client, partition, "all");
  });
}

export interface AuditRetention {
  /** Events before this day (UTC, ISO 8601 date) are deleted. */
  readonly before: string;
  readonly dryRun: boolean;
  readonly batch?: number;
}

/** Deletes old audit events in batches, the oldest first, as owner: no other role may. @returns how many it deletes, or would */
export async function pruneAuditEvents(
  client: Client,
  { before, dryRun, batch = 20_000 }: AuditRetention,
): Promise<number> {
  const old = "from auth.audit_events where occurred_at < $1::timestamp at time zone 'UTC'";
  if (dryRun) return Number((await client.query<{ count: string }>(`select count(*) ${old}`, [before])).rows[0]?.count);
  const remove = `delete from auth.audit_events where id in (select id ${old} order by occurred_at limit ${batch})`;
  // Two concurrent runs would take the same batch and block each other.
  return alone(client, async () => {
    let removed = 0;
    for (let gone = batch; gone === batch; removed += gone) gone = (await client.query(remove, [before])).rowCount ?? 0;
    // Frees the space for later events at once, without waiting for other sessions.
    if (removed > 0) await client.query("vacuum (skip_locked, truncate off) auth.audit_events");
    return removed;
  });
}
