import type { Client } from "pg";
import { feedLock } from "./live-writer.ts";

/** Gaps of the last seven days that no files fill, by source. */
export async function unfilledGaps(client: Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ source: string; gaps: number }>(
    `select source, count(*)::integer as gaps from routing.feed_gaps
     where time_filled is null and (time_ended is null or time_ended > (now() at time zone 'UTC') - interval '7 days') group by source`,
  );
  return new Map(rows.map(({ source, gaps }) => [source, gaps]));
}

/**
 * Forgets the sources that no feed reads any more, and ends their gaps.
 *
 * @param sources those of the settings; one that another feed still reads stays too
 */
export async function forgetOtherSources(client: Client, sources: readonly string[]): Promise<void> {
  await client.query(
    `with other as materialized (select source from routing.feed_sources where source <> all ($1::text[])),
     free as materialized (select source from other where pg_try_advisory_xact_lock($2, hashtext(source))),
     forgotten as (delete from routing.feed_sources known using free where known.source = free.source returning known.*),
     ended as (
       update routing.feed_gaps gap set time_ended = greatest(time_started, now() at time zone 'UTC')
       from forgotten where gap.source = forgotten.source and time_ended is null returning gap.source)
     insert into routing.feed_gaps (source, time_started, time_ended, reason)
     select source, covered_until, greatest(covered_until, now() at time zone 'UTC'), 'no feed' from forgotten
     where not stopped and source not in (select source from ended)`,
    [sources, feedLock],
  );
}
