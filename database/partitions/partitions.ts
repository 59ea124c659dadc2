import type { Client } from "pg";

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
