import type { Client } from "pg";
import { inTurn } from "@routeql/database-access/advisory-locks";
import { exchange, type Partition, partitionsBefore } from "../partitions/partitions.ts";
import { alone, patiently } from "../partitions/patience.ts";

export interface FilledMonth {
  /** ISO 8601 date. */
  readonly first: string;
  readonly rows: number;
}

/**
 * Gives positions to the updates from before positions, month by month, below the first one that was given to a new update. What an interrupted
 * run finished stays. @returns false if there is nothing to do
 */
export async function fillPositions(client: Client, onMonth: (month: FilledMonth) => void): Promise<boolean> {
  return alone(client, async () => {
    const { rows } = await client.query<{ firstLive: string; indexed: boolean }>(
      `select first_live::text as "firstLive", indexed from routing.old_updates`,
    );
    const [old] = rows;
    if (old === undefined) return false;
    if (!old.indexed) await indexPositions(client);
    for (const month of await partitionsBefore(client)) {
      if (!(await lacksPositions(client, month))) continue;
      const filled = await patiently(client, async () => exchange(client, month, "all", await lastBefore(client, old)));
      onMonth({ first: month.first, rows: filled });
    }
    await inTurn(client, () =>
      client.query("delete from routing.old_updates; select routing.open_log('updates', 'fill')"),
    );
    return true;
  });
}

/** Without the index a reader of the log would sort the month. Loads and queries continue meanwhile. */
async function indexPositions(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class c on c.oid = inhrelid
      where inhparent = 'routing.bgp_updates'::regclass and not exists (
        select from pg_inherits i join pg_index x on x.indexrelid = i.inhrelid
        where i.inhparent = 'routing.bgp_updates_position'::regclass and x.indrelid = c.oid)
      order by 1`,
  );
  for (const { name } of rows) {
    const index = `routing.${client.escapeIdentifier(`${name}_position_made`)}`;
    // An interrupted run leaves an invalid index.
    await client.query(`drop index if exists ${index}`);
    // It waits for older transactions, and loads do not wait for it.
    await client.query("set lock_timeout = 0");
    await client.query(
      `create index concurrently ${client.escapeIdentifier(`${name}_position_made`)} on routing.${client.escapeIdentifier(name)} (position)`,
    );
    await client.query("reset lock_timeout");
    await patiently(client, () => client.query(`alter index routing.bgp_updates_position attach partition ${index}`));
  }
  await client.query("update routing.old_updates set indexed = true");
}

async function lacksPositions(client: Client, { name }: Partition): Promise<boolean> {
  const { rows } = await client.query<{ lacks: boolean }>(
    `select exists (select from routing.${client.escapeIdentifier(name)} where position is null) as lacks`,
  );
  return rows[0]?.lacks === true;
}

/** The highest position of a filled row, as a decimal text. */
async function lastBefore(client: Client, { firstLive }: { firstLive: string }): Promise<string> {
  const { rows } = await client.query<{ last: string }>(
    "select coalesce(max(position), 0)::text as last from routing.bgp_updates where position < $1",
    [firstLive],
  );
  return String(rows[0]?.last);
}
