import { north, south } from "./world.ts";

/** Hijacks ni1 (ignored) and nv1 of north, si1 (ignored) and sv1 of south, x1 of no organisation; updates of each, of several and of none. */
export const fill = `
  insert into auth.organisations (id, name) values ('${north}', 'North'), ('${south}', 'South');
  insert into routing.configured_prefixes (prefix, origins, organisation) values
    ('192.0.2.0/24', '{64500}', '${north}'), ('198.51.100.0/24', '{64501}', '${south}'), ('203.0.113.0/24', '{64502}', null);
  insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last, configured_prefix, active, ignored, comment, num_peers_seen, peers_seen) values
    ('ni1', 'S|0|-|-', '192.0.2.128/25', 64510, '2026-01-01', '2026-01-01 01:00', '192.0.2.0/24', false, true, 'secret of north one', 7, '{64496}'),
    ('nv1', 'E|0|-|-', '192.0.2.0/24', 64511, '2026-01-02', '2026-01-02 01:00', '192.0.2.0/24', true, false, 'secret of north two', 3, '{64497}'),
    ('si1', 'S|0|-|L', '198.51.100.128/25', 65550, '2026-01-03', '2026-01-03 01:00', '198.51.100.0/24', false, true, 'secret of south one', 9, '{64498}'),
    ('sv1', 'E|0|-|L', '198.51.100.0/24', 65551, '2026-01-04', '2026-01-04 01:00', '198.51.100.0/24', true, false, 'secret of south two', 5, '{64499}'),
    ('x1', 'Q|0|-|-', '203.0.113.0/24', 65549, '2026-01-05', '2026-01-05 01:00', '203.0.113.0/24', true, false, 'secret of nobody', 1, '{}');
  update routing.hijacks set rule = 'rule of ' || key, first_path = array[64504, hijack_as], last_path = array[64505, hijack_as];
  insert into routing.hijack_peers (hijack_key, peer_asn, first_seen, last_seen) select key, 64496, time_detected, time_last from routing.hijacks;
  insert into routing.visibility_losses (prefix, time_started, min_peers, num_peers) select prefix, '2026-02-01', 1, 0 from routing.configured_prefixes;
  select routing.ensure_partitions('2026-02-01', '2026-02-01');
  insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key, matched_prefix, communities)
    select md5(service)::uuid, prefix::inet, 64511, 64496 + n, array[64504 + n, 64511], service, 'A', '2026-02-01'::timestamp + n * interval '1 hour', keys::text[], matched::inet, '[[64504,1]]'
    from (values
      (1, '192.0.2.128/25', 'north|one', '{ni1}', '192.0.2.0/24'), (2, '192.0.2.0/24', 'north|two', '{nv1}', '192.0.2.0/24'),
      (3, '198.51.100.128/25', 'south|one', '{si1}', '198.51.100.0/24'), (4, '198.51.100.0/24', 'south|two', '{sv1}', '198.51.100.0/24'),
      (5, '203.0.113.0/24', 'nobody|one', '{x1}', '203.0.113.0/24'), (6, '192.0.2.64/26', 'north|three', '{}', '192.0.2.0/24'),
      (7, '192.0.2.0/24', 'north|four', '{ni1,nv1}', '192.0.2.0/24'), (8, '198.51.100.0/24', 'south|four', '{si1,sv1}', '198.51.100.0/24'),
      (9, '203.0.113.64/26', 'stray|one', '{}', null),
      -- the hijack of one organisation in an update of the other
      (10, '192.0.2.0/24', 'north|five', '{nv1,sv1,si1}', '192.0.2.0/24'), (11, '198.51.100.0/24', 'south|five', '{sv1,nv1,ni1}', '198.51.100.0/24')
    ) as made (n, prefix, service, keys, matched);`;

export interface Onlooker {
  readonly role: string;
  readonly organisation?: string;
  /** Patterns that end in an escape. Postgres raises an error once a text has matched up to it, which happens only for texts of hidden rows. */
  readonly traps: readonly string[];
  /** Changes to hidden rows of the role, one state after another. */
  readonly changes: Readonly<Record<string, readonly string[]>>;
  /** Changes to columns of visible rows that the role may not read. */
  readonly hiddenColumns?: Readonly<Record<string, readonly string[]>>;
}

export const onlookers: readonly Onlooker[] = [
  {
    role: "viewer",
    traps: ["ni\\", "si\\", "S|0\\"],
    changes: {
      "other values in ignored hijacks": [
        `update routing.hijacks set comment = 'zzz', community_annotation = 'zzz', type = 'Z|9|-|-', hijack_as = 1, prefix = '2001:db8::/32',
           num_peers_seen = 0, peers_seen = '{1}', rule = 'zzz', last_path = '{1}', time_last = null, time_ended = '2020-01-01', configured_prefix = null, rpki_status = 'VD', seen = true where ignored`,
      ],
      "no ignored hijack at all": ["delete from routing.hijacks where ignored"],
      "many more of them, and their links": [
        `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, active, ignored, comment)
           select 'more' || n, 'Z|9|-|-', '2001:db8::/32', n, '2026-01-01', false, true, 'zzz' from generate_series(1, 500) n`,
        `insert into routing.update_links (hijack_key, "timestamp", identity, prefix, peer_asn, type, as_path, service)
           select 'more' || n, u."timestamp", gen_random_uuid(), u.prefix, u.peer_asn, u.type, u.as_path, u.service from routing.bgp_updates u, generate_series(1, 500) n`,
      ],
    },
    hiddenColumns: {
      "other comments of hijacks and communities of updates": [
        "update routing.hijacks set comment = 'zzz', community_annotation = 'zzz' where not ignored",
        "update routing.bgp_updates set communities = '[]', orig_path = '[1]'",
      ],
    },
  },
  ...(
    [
      [north, south, "s", "198.51.100.0/24"],
      [south, north, "n", "192.0.2.0/24"],
    ] as const
  ).map(([own, other, letter, prefix]): Onlooker => ({
    role: "tenant",
    organisation: own,
    traps: [
      `${letter}i\\`,
      `${letter}v\\`,
      "x\\",
      `secret of ${other.replace("example-", "")}\\`,
      "secret of nobod\\",
      "Q\\",
      "stray\\",
      `${other.replace("example-", "")}|\\`,
    ],
    changes: {
      "other values in the rows of others": [
        `update routing.hijacks set comment = 'zzz', community_annotation = 'zzz', type = 'Z|9|-|-', hijack_as = 1, prefix = '2001:db8::/32',
           num_peers_seen = 0, peers_seen = '{1}', rule = 'zzz', last_path = '{1}', time_last = null, seen = true where key ~ '^(${letter}|x)'`,
        `update routing.hijack_peers set peer_asn = 1 where hijack_key ~ '^(${letter}|x)'`,
        `update routing.visibility_losses set num_peers = 7 where prefix is distinct from (select prefix from routing.configured_prefixes where organisation = '${own}')`,
        `update routing.bgp_updates set communities = '[]', orig_path = '[1]', handled = true where matched_prefix is distinct from (select prefix from routing.configured_prefixes where organisation = '${own}')`,
        `update routing.configured_prefixes set origins = '{1}' where organisation is distinct from '${own}'`,
      ],
      "no row of others": [
        `delete from routing.bgp_updates where matched_prefix is distinct from (select prefix from routing.configured_prefixes where organisation = '${own}')`,
        `delete from routing.hijacks where key ~ '^(${letter}|x)'`,
        `delete from routing.configured_prefixes where organisation is distinct from '${own}'`,
        `delete from auth.organisations where id = '${other}'`,
      ],
      "many more of them": [
        `insert into routing.configured_prefixes (prefix, origins, organisation)
           select ('2001:db8:' || to_hex(n) || '::/48')::inet, '{1}', '${other}' from generate_series(1, 500) n`,
        `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, configured_prefix, comment)
           select 'more' || n, 'Z|9|-|-', '${prefix}', n, '2026-01-01', '${prefix}', 'zzz' from generate_series(1, 500) n`,
        `insert into routing.bgp_updates (key, prefix, origin_as, as_path, service, type, "timestamp", hijack_key, matched_prefix)
           select gen_random_uuid(), '${prefix}', 1, '{1}', 'zzz|zzz', 'A', '2026-02-01'::timestamp + n * interval '1 second', array['more' || n], '${prefix}' from generate_series(1, 500) n`,
        `update routing.hijacks set configured_prefix = '${prefix}' where key = 'x1'`,
      ],
    },
  })),
];
