import type { Client } from "pg";
import { advisoryLocks } from "@routeql/database-access/advisory-locks";

/** One partition of routing.bgp_updates, named by its month. */
export interface Partition {
  readonly name: string;
  /** ISO 8601 date. */
  readonly first: string;
  /** The first date after it. */
  readonly after: string;
}

/** Partitions with times before a date (ISO 8601), or all; the oldest first. Tables with other names are not ours. */
export async function partitionsBefore(client: Client, date = "infinity"): Promise<Partition[]> {
  const { rows } = await client.query<Partition>(
    `select name, to_char(first, 'YYYY-MM-DD') as first, to_char(first + interval '1 month', 'YYYY-MM-DD') as after
       from (select relname as name, to_date(month, 'YYYYMM') as first
               from pg_inherits join pg_class c on c.oid = inhrelid, substring(relname from '^bgp_updates_(\\d{6})$') as month
               where inhparent = 'routing.bgp_updates'::regclass and month is not null) p
      where first < $1::date order by first`,
    [date],
  );
  return rows;
}

/** Tells the engines in this transaction that updates change: partitions have no triggers of their own. */
export const tellUpdates = "select pg_notify('routeql_changes', 'routing.bgp_updates')";

async function columns(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    "select attname as name from pg_attribute where attrelid = 'routing.bgp_updates'::regclass and attnum > 0 and not attisdropped order by attnum",
  );
  return rows.map(({ name }) => name);
}

export type Staying = "all" | "hijacked";

/**
 * Replaces a partition in one step without its other rows; none if no row stays. Run it in a turn.
 * @param above gives rows without a position the positions above this one, in the order of time @returns rows that stay
 */
export async function exchange(
  client: Client,
  { name, first, after }: Partition,
  staying: Staying,
  above?: string,
): Promise<number> {
  const table = `routing.${client.escapeIdentifier(name)}`;
  const made = `routing.${client.escapeIdentifier(`${name}_made`)}`;
  await client.query(`select pg_advisory_xact_lock(${advisoryLocks.partitions})`);
  // Locks the whole table first, as a writer does: locking partitions first would risk a deadlock.
  await client.query("lock table only routing.bgp_updates in share row exclusive mode");
  await client.query(`create table ${made} (like routing.bgp_updates including all)`);
  const all = await columns(client);
  const values = all.map((column) =>
    column === "position" && above !== undefined
      ? `coalesce(position, ${client.escapeLiteral(above)}::bigint + row_number() over (order by "timestamp", key))`
      : client.escapeIdentifier(column),
  );
  const { rowCount } = await client.query(
    `insert into ${made} (${all.map((column) => client.escapeIdentifier(column)).join()}) select ${values.join()} from ${table}${staying === "hijacked" ? " where hijack_key <> '{}'" : ""}`,
  );
  const rows = rowCount ?? 0;
  await client.query(tellUpdates);
  if (rows === 0) await client.query(`drop table ${made}`);
  else {
    // With the constraint Postgres need not scan the rows while readers wait.
    await client.query(
      `alter table ${made} add constraint in_bounds check ("timestamp" >= '${first}' and "timestamp" < '${after}')`,
    );
    await client.query(`analyze ${made}`);
  }
  await client.query("lock table only routing.bgp_updates in access exclusive mode");
  await client.query(`drop table ${table}`);
  if (rows > 0) {
    await client.query(
      [
        `alter table ${made} rename to ${client.escapeIdentifier(name)}`,
        `alter table routing.bgp_updates attach partition ${table} for values from ('${first}') to ('${after}')`,
        `alter table ${table} drop constraint in_bounds`,
      ].join(";"),
    );
  }
  return rows;
}
