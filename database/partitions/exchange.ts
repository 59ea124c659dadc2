import type { Client } from "pg";
import { advisoryLocks } from "../shared/advisory-locks.ts";
import type { Partition } from "./partitions.ts";

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
