import type { Client } from "pg";
import type { Message } from "../episodes.ts";
import { type Loss, type PeerState, Visibility } from "../visibility.ts";

/** The watched prefixes of new updates, as earlier runs left them. @param minPeers by watched prefix */
export async function visibilityOf(
  client: Client,
  minPeers: ReadonlyMap<string, number>,
  messages: readonly Message[],
): Promise<Visibility> {
  const visibility = new Visibility();
  const pairs = new Map<string, Set<number>>();
  for (const { prefix, peer } of messages)
    if (peer !== null && minPeers.has(prefix)) pairs.set(prefix, (pairs.get(prefix) ?? new Set()).add(peer));
  if (pairs.size === 0) return visibility;
  const prefixes = [...pairs.keys()];
  const listed = [...pairs].flatMap(([prefix, peers]) => [...peers].map((peer) => [prefix, peer] as const));
  const states = await client.query<{ prefix: string; peer: string; announced: boolean; last: string }>(
    `select w.prefix::text, w.peer::text, announced, (extract(epoch from last_update) * 1000000)::bigint::text as last
     from unnest($1::inet[], $2::bigint[]) w (prefix, peer) join routing.prefix_peers p on p.prefix = w.prefix and p.peer_asn = w.peer`,
    [listed.map(([prefix]) => prefix), listed.map(([, peer]) => peer)],
  );
  const peers = new Map<string, Map<number, PeerState>>();
  for (const { prefix, peer, announced, last } of states.rows) {
    const ofPrefix = peers.get(prefix) ?? new Map<number, PeerState>();
    peers.set(prefix, ofPrefix.set(Number(peer), { announced, last: Number(last) }));
  }
  const known = await client.query<{ prefix: string; count: number; newest: string }>(
    `select prefix::text, (count(*) filter (where announced))::integer as count, (extract(epoch from max(last_update)) * 1000000)::bigint::text as newest
     from routing.prefix_peers where prefix = any ($1::inet[]) group by prefix`,
    [prefixes],
  );
  const lost = await client.query<{ prefix: string; started: string; peers: number; left: number }>(
    `select prefix::text, (extract(epoch from time_started) * 1000000)::bigint::text as started, min_peers as peers, num_peers as left
     from routing.visibility_losses where active and prefix = any ($1::inet[])`,
    [prefixes],
  );
  const losses = new Map(
    lost.rows.map(({ prefix, started, peers: least, left }): [string, Loss] => [
      prefix,
      { prefix, started: Number(started), ended: null, minPeers: least, left },
    ]),
  );
  const counts = new Map(known.rows.map(({ prefix, ...row }) => [prefix, row]));
  for (const prefix of prefixes) {
    const row = counts.get(prefix);
    const loss = losses.get(prefix);
    visibility.watch(prefix, minPeers.get(prefix)!, {
      count: row?.count ?? 0,
      newest: Number(row?.newest ?? 0),
      loss,
      peers: peers.get(prefix) ?? new Map(),
    });
  }
  return visibility;
}

/** Watches the prefixes that have no states yet, for a run over all stored updates. The others continue from their states. */
export async function newlyWatched(client: Client, minPeers: ReadonlyMap<string, number>): Promise<Visibility> {
  const { rows } = await client.query<{ prefix: string }>("select distinct prefix::text from routing.prefix_peers");
  const known = new Set(rows.map(({ prefix }) => prefix));
  const visibility = new Visibility();
  for (const [prefix, least] of minPeers) if (!known.has(prefix)) visibility.watch(prefix, least);
  return visibility;
}

/** Applies a changed configuration: removes prefixes that it no longer watches, and ends losses of prefixes with enough peers. */
export async function settleVisibility(client: Client): Promise<void> {
  await client.query(`
    delete from routing.prefix_peers p using routing.configured_prefixes c where c.prefix = p.prefix and c.min_peers is null;
    update routing.visibility_losses l set active = false
    where active and not exists (
      select from routing.configured_prefixes c where c.prefix = l.prefix and c.min_peers is not null);
    update routing.visibility_losses l set active = false, time_ended = greatest(time_started, now.newest)
    from (
      select prefix, count(*) filter (where announced) as peers, max(last_update) as newest from routing.prefix_peers group by prefix
    ) now join routing.configured_prefixes c using (prefix)
    where active and l.prefix = now.prefix and now.peers >= c.min_peers`);
}

/** Writes what updates have changed. */
export async function saveVisibility(client: Client, visibility: Visibility): Promise<void> {
  const states = [...visibility.states()];
  if (states.length === 0) return;
  await client.query(
    `insert into routing.prefix_peers (prefix, peer_asn, announced, last_update)
     select prefix, peer, announced, 'epoch'::timestamp + time * interval '1 microsecond'
     from unnest($1::inet[], $2::bigint[], $3::boolean[], $4::bigint[]) w (prefix, peer, announced, time)
     where exists (select from routing.configured_prefixes c where c.prefix = w.prefix)
     on conflict (prefix, peer_asn) do update set announced = excluded.announced, last_update = excluded.last_update`,
    [
      states.map(({ prefix }) => prefix),
      states.map(({ peer }) => peer),
      states.map(({ announced }) => announced),
      states.map(({ last }) => last),
    ],
  );
  const { losses } = visibility;
  if (losses.length === 0) return;
  await client.query(
    `insert into routing.visibility_losses (prefix, time_started, time_ended, active, min_peers, num_peers)
     select prefix, 'epoch'::timestamp + started * interval '1 microsecond', 'epoch'::timestamp + ended * interval '1 microsecond',
       ended is null, least, remaining
     from unnest($1::inet[], $2::bigint[], $3::bigint[], $4::integer[], $5::integer[]) w (prefix, started, ended, least, remaining)
     on conflict (prefix, time_started) do update
     set time_ended = excluded.time_ended, active = excluded.active, num_peers = excluded.num_peers`,
    [
      losses.map(({ prefix }) => prefix),
      losses.map(({ started }) => started),
      losses.map(({ ended }) => ended),
      losses.map(({ minPeers }) => minPeers),
      losses.map(({ left }) => left),
    ],
  );
}
