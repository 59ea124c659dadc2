import type { Client } from "pg";
import { alone } from "../partitions/alone.ts";

export interface AuditRetention {
  /** Events before this day (UTC, ISO 8601 date) go. */
  readonly before: string;
  /** Only counts them. */
  readonly dryRun: boolean;
  /** Events that one transaction takes away; an event that is recorded meanwhile waits for nobody. */
  readonly batch?: number;
}

/**
 * Takes away the audit trail of old days, a batch after the other in the order of time. The same again changes nothing.
 * @param client connected as the owner: no other role may change what is on record
 * @returns how many events went, or would go
 */
export async function pruneAuditEvents(client: Client, { before, dryRun, batch = 20_000 }: AuditRetention): Promise<number> {
  const old = "from auth.audit_events where occurred_at < $1::timestamp at time zone 'UTC'";
  if (dryRun) return Number((await client.query<{ count: string }>(`select count(*) ${old}`, [before])).rows[0]?.count);
  const remove = `delete from auth.audit_events where id in (select id ${old} order by occurred_at limit ${batch})`;
  // Two at once would take the same batch, wait for each other in a ring, or stop where the other is at work.
  return alone(client, "0", async () => {
    let removed = 0;
    for (let gone = batch; gone === batch; removed += gone) gone = (await client.query(remove, [before])).rowCount ?? 0;
    // The space is for later events at once; nobody is waited for.
    if (removed > 0) await client.query("vacuum (skip_locked, truncate off) auth.audit_events");
    return removed;
  });
}
