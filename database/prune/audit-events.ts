import type { Client } from "pg";
import { alone } from "../partitions/alone.ts";

export interface AuditRetention {
  /** Events before this day (UTC, ISO 8601 date) are deleted. */
  readonly before: string;
  /** Only counts them. */
  readonly dryRun: boolean;
  /** Events deleted in one transaction. */
  readonly batch?: number;
}

/**
 * Deletes old audit events, batch by batch in the order of time. A second run changes nothing.
 * @param client connected as the owner: no other role may delete audit events
 * @returns how many events were, or would be, deleted
 */
export async function pruneAuditEvents(
  client: Client,
  { before, dryRun, batch = 20_000 }: AuditRetention,
): Promise<number> {
  const old = "from auth.audit_events where occurred_at < $1::timestamp at time zone 'UTC'";
  if (dryRun) return Number((await client.query<{ count: string }>(`select count(*) ${old}`, [before])).rows[0]?.count);
  const remove = `delete from auth.audit_events where id in (select id ${old} order by occurred_at limit ${batch})`;
  // Two concurrent runs would take the same batch and block each other.
  return alone(client, "0", async () => {
    let removed = 0;
    for (let gone = batch; gone === batch; removed += gone) gone = (await client.query(remove, [before])).rowCount ?? 0;
    // Frees the space for later events at once, without waiting for other sessions.
    if (removed > 0) await client.query("vacuum (skip_locked, truncate off) auth.audit_events");
    return removed;
  });
}
