import { textBeside } from "@routeql/database-access/text-beside";
import type { Client } from "pg";
import type { Episode, PeerState, Time } from "../episodes.ts";

/** A microsecond count as SQL prints it. */
const micros = (column: string): string => `(extract(epoch from ${column}) * 1000000)::bigint::text`;

interface StoredEpisode {
  readonly key: string;
  readonly prefix: string;
  readonly type: string;
  readonly hijacker: string;
  readonly rule: string | null;
  readonly configured_prefix: string | null;
  readonly configured_at: string | null;
  readonly started: string;
  readonly last: string;
  readonly last_announced: string | null;
  readonly infected: string[];
  readonly annotation: string;
  readonly first_path: string[] | null;
  readonly last_path: string[] | null;
  readonly parent: string | null;
  readonly peers: { peer: number; first: number; last: number; withdrawn: number | null }[];
}

/** The open episodes of these prefixes, with what they need to continue. */
export async function openEpisodes(client: Client, prefixes: readonly string[]): Promise<Episode[]> {
  const { rows } = await client.query<StoredEpisode>(
    `select key, prefix::text, type, hijack_as as hijacker, rule, configured_prefix::text,
       ${micros("timestamp_of_config")} as configured_at, ${micros("time_started")} as started, ${micros("time_last")} as last,
       ${micros("last_announced")} as last_announced, asns_inf as infected, community_annotation as annotation, first_path, last_path,
       outdated_parent as parent,
       coalesce((
         select json_agg(json_build_object('peer', peer_asn, 'first', (extract(epoch from first_seen) * 1000000)::bigint,
           'last', (extract(epoch from last_seen) * 1000000)::bigint, 'withdrawn', (extract(epoch from withdrawn_at) * 1000000)::bigint))
         from routing.hijack_peers p where p.hijack_key = h.key
       ), '[]') as peers
     from routing.hijacks h where active and prefix = any ($1::inet[])`,
    [prefixes],
  );
  return rows.map((row) => ({
    key: row.key,
    prefix: row.prefix,
    type: row.type,
    hijacker: Number(row.hijacker),
    rule: row.rule ?? "origins",
    configuredPrefix: row.configured_prefix ?? row.prefix,
    configuredAt: Number(row.configured_at),
    started: Number(row.started),
    last: Number(row.last),
    lastAnnounced: Number(row.last_announced ?? row.last),
    ended: null,
    peers: new Map(row.peers.map(({ peer, ...state }): [number, PeerState] => [peer, state])),
    infected: new Set(row.infected.map(Number)),
    annotation: row.annotation,
    firstPath: (row.first_path ?? []).map(Number),
    lastPath: (row.last_path ?? []).map(Number),
    parent: row.parent,
    isStored: true,
  }));
}

export interface SavedCounts {
  readonly added: number;
  readonly updated: number;
}

const sorted = (numbers: Iterable<number>): number[] => [...numbers].toSorted((a, b) => a - b);

/** Writes episodes as records. Values of people stay. @param now clock of the run: a silent hijack is dormant */
export async function saveEpisodes(client: Client, episodes: readonly Episode[], now: Time): Promise<SavedCounts> {
  if (episodes.length === 0) return { added: 0, updated: 0 };
  const records = episodes.map((episode) => ({
    ...episode,
    infected: sorted(episode.infected),
    seen: sorted(episode.peers.keys()),
    withdrawn: sorted([...episode.peers].flatMap(([peer, state]) => (state.withdrawn === null ? [] : [peer]))),
    peers: undefined,
  }));
  const record = textBeside(import.meta.url, "record.sql");
  const { rows } = await client.query<{ is_new: boolean }>(record, [JSON.stringify(records), now]);
  const peers = episodes.flatMap(({ key, peers: states }) =>
    [...states].map(([peer, state]) => ({ key, peer, ...state })),
  );
  await client.query(
    `delete from routing.hijack_peers known where hijack_key = any ($1)
       and not exists (select from jsonb_to_recordset($2) as w (key text, peer bigint) where w.key = known.hijack_key and w.peer = known.peer_asn)`,
    [episodes.map(({ key }) => key), JSON.stringify(peers)],
  );
  await client.query(
    `insert into routing.hijack_peers as known (hijack_key, peer_asn, first_seen, last_seen, withdrawn_at)
     select key, peer, 'epoch'::timestamp + first * interval '1 microsecond', 'epoch'::timestamp + last * interval '1 microsecond',
       'epoch'::timestamp + withdrawn * interval '1 microsecond'
     from jsonb_to_recordset($1) as w (key text, peer bigint, first bigint, last bigint, withdrawn bigint)
     on conflict (hijack_key, peer_asn) do update
     set first_seen = excluded.first_seen, last_seen = excluded.last_seen, withdrawn_at = excluded.withdrawn_at
     where (known.first_seen, known.last_seen, known.withdrawn_at)
       is distinct from (excluded.first_seen, excluded.last_seen, excluded.withdrawn_at)`,
    [JSON.stringify(peers)],
  );
  const added = rows.filter((row) => row.is_new).length;
  return { added, updated: rows.length - added };
}

/** Ends records that the configuration no longer calls a hijack. @returns their number */
export async function outdateRecords(client: Client, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  const { rowCount } = await client.query(
    "update routing.hijacks set outdated = true, active = false, dormant = false where key = any ($1) and not outdated",
    [keys],
  );
  return rowCount ?? 0;
}
