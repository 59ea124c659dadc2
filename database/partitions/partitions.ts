import type { Client } from "pg";
import { advisoryLocks } from "../shared/advisory-locks.ts";

/** One partition of routing.bgp_updates, named by its month, or by its day in databases of earlier versions. */
export interface Partition {
  readonly name: string;
  readonly unit: "day" | "month";
  /** ISO 8601 date. */
  readonly first: string;
  /** The first date after it. */
  readonly after: string;
  /** Its size on disk with indexes. */
  readonly bytes: number;
}

/** Partitions with times before a date (ISO 8601), or all; the oldest first. Tables with other names are not ours. */
export async function partitionsBefore(client: Client, date = "infinity"): Promise<Partition[]> {
  const { rows } = await client.query<Omit<Partition, "bytes"> & { bytes: string }>(
    `select name, unit, to_char(first, 'YYYY-MM-DD') as first, to_char(first + ('1 ' || unit)::interval, 'YYYY-MM-DD') as after, bytes
       from (select relname as name, case length(stamp) when 8 then 'day' else 'month' end as unit, to_date(rpad(stamp, 8, '01'), 'YYYYMMDD') as first,
               pg_total_relation_size(c.oid) as bytes
               from pg_inherits join pg_class c on c.oid = inhrelid, substring(relname from '^bgp_updates_(\\d{6}|\\d{8})$') as stamp
               where inhparent = 'routing.bgp_updates'::regclass and stamp is not null) p
      where first < $1::date order by first`,
    [date],
  );
  return rows.map(({ bytes, ...partition }) => ({ ...partition, bytes: Number(bytes) }));
}

/** The partition of a month, which need not exist; `month` as in `2026-03`. */
export function partitionOf(month: string): Omit<Partition, "bytes"> {
  const [year = 0, number = 0] = month.split("-").map(Number);
  const after = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 10);
  return { name: `bgp_updates_${month.replace("-", "")}`, unit: "month", first: `${month}-01`, after };
}

export type Staying = "all" | "hijacked";

/**
 * Replaces partitions by one new partition in one step, so that no reader misses a row that stays. Other rows are
 * deleted and their disk space is freed; if no row stays, there is no new partition. Writers wait from the start, readers during the swap.
 * Run it in a turn: then no load or detection holds locks.
 * @returns the number of rows that stay.
 */
export async function exchange(
  client: Client,
  old: readonly Pick<Partition, "name">[],
  { name, first, after }: Pick<Partition, "name" | "first" | "after">,
  staying: Staying,
): Promise<number> {
  const table = (partition: string): string => `routing.${client.escapeIdentifier(partition)}`;
  const made = table(`${name}_made`);
  await client.query(`select pg_advisory_xact_lock(${advisoryLocks.partitions})`);
  // Locks the whole table first, as a writer does: locking partitions first would risk a deadlock.
  await client.query("lock table only routing.bgp_updates in share row exclusive mode");
  await client.query(`create table ${made} (like routing.bgp_updates including all)`);
  let rows = 0;
  for (const partition of old) {
    const { rowCount } = await client.query(
      `insert into ${made} select * from ${table(partition.name)}${staying === "hijacked" ? " where hijack_key <> '{}'" : ""}`,
    );
    rows += rowCount ?? 0;
  }
  if (rows === 0) await client.query(`drop table ${made}`);
  else {
    // With the constraint Postgres need not scan the rows while readers wait.
    await client.query(
      `alter table ${made} add constraint in_bounds check ("timestamp" >= '${first}' and "timestamp" < '${after}')`,
    );
    await client.query(`analyze ${made}`);
  }
  await client.query("lock table only routing.bgp_updates in access exclusive mode");
  await client.query(`drop table ${old.map((partition) => table(partition.name)).join(", ")}`);
  if (rows > 0) {
    await client.query(
      [
        `alter table ${made} rename to ${client.escapeIdentifier(name)}`,
        `alter table routing.bgp_updates attach partition ${table(name)} for values from ('${first}') to ('${after}')`,
        `alter table ${table(name)} drop constraint in_bounds`,
      ].join(";"),
    );
  }
  return rows;
}
