/** Attacks written by hand: each requests hidden data in a different way. */
export const attacks: readonly string[] = [
  // by known values: a key, a comment, a prefix
  ...["ni1", "nv1", "si1", "sv1", "x1"].flatMap((key) => [
    `{ view_hijacks(where: {key: {_eq: "${key}"}}) { key ignored prefix } }`,
    `{ view_hijacks(where: {key: {_gte: "${key}"}}, order_by: {key: asc}, limit: 1) { key } }`,
    `{ view_hijacks(where: {_not: {key: {_neq: "${key}"}}}) { key } }`,
    `{ view_hijacks(where: {_or: [{key: {_eq: "${key}"}}, {_and: []}]}, order_by: {key: asc}) { key } }`,
    `{ view_bgpupdates_hijacks(where: {hijack_key: {_eq: "${key}"}}) { hijack_key timestamp } }`,
    `{ view_bgpupdates_hijacks(where: {hijack: {key: {_eq: "${key}"}}}) { timestamp } }`,
    `{ view_bgpupdates_hijacks(where: {_not: {hijack: {}}}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_links: {hijack_key: {_eq: "${key}"}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_links: {hijack: {key: {_eq: "${key}"}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {_not: {hijack_links: {hijack: {key: {_eq: "${key}"}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_key: {_contains: ["${key}"]}, hijack_links: {hijack: {hijack_as: {_gt: 0}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_key: {_contains: ["${key}"]}, _not: {hijack_links: {}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_links: {hijack: {update_links: {hijack_key: {_eq: "${key}"}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_hijacks_log(where: {key: {_gte: "${key}"}}, order_by: {position: asc}, limit: 1) { key position generation } }`,
    `{ view_hijack_reasons(where: {hijack_key: {_gte: "${key}"}}, order_by: {hijack_key: asc}) { hijack_key rule first_path last_path peers } }`,
    `{ view_hijack_reasons(where: {_not: {hijack: {key: {_neq: "${key}"}}}}) { hijack_key } }`,
    `{ view_hijacks(where: {_not: {reason: {hijack_key: {_neq: "${key}"}}}}, order_by: {key: asc}) { key reason { rule peers } } }`,
    `{ view_bgpupdates_log(where: {hijack_key: {_contains: ["${key}"]}}, order_by: {position: asc}) { key position generation timestamp } }`,
  ]),
  ...["true", "false"].flatMap((flag) => [
    `{ view_hijacks(where: {ignored: {_eq: ${flag}}}, order_by: {key: asc}) { key } }`,
    `{ view_bgpupdates(where: {hijack_links: {hijack: {ignored: {_eq: ${flag}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {_not: {hijack_links: {hijack: {ignored: {_eq: ${flag}}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_links: {_not: {hijack: {ignored: {_eq: ${flag}}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_hijacks(where: {update_links: {update: {hijack_links: {hijack: {ignored: {_eq: ${flag}}}}}}}, order_by: {key: asc}) { key } }`,
    `{ view_hijacks_log(where: {ignored: {_eq: ${flag}}}, order_by: {position: desc}) { key position } }`,
  ]),
  // by order
  "{ view_hijacks(order_by: [{num_peers_seen: desc}, {key: asc}]) { key } }",
  "{ view_hijacks(order_by: [{num_peers_seen: desc}, {key: asc}], offset: 1, limit: 1) { key } }",
  "{ view_bgpupdates_hijacks(order_by: [{hijack: {num_peers_seen: desc}}, {hijack: {time_last: asc}}, {timestamp: asc}]) { timestamp hijack_key } }",
  "{ view_bgpupdates_hijacks(order_by: [{update: {matched_prefix: desc}}, {timestamp: asc}, {hijack_key: asc}]) { timestamp hijack_key } }",
  "{ view_bgpupdates(order_by: [{hijack_key: desc}, {timestamp: asc}]) { timestamp } }",
  "{ view_hijacks_log(order_by: {position: desc}, offset: 1, limit: 1) { key position } }",
  "{ view_bgpupdates_log(order_by: {position: desc}) { key position } }",
  "{ view_visibility_losses(order_by: [{num_peers: desc}, {prefix: asc}]) { prefix time_started num_peers } }",
  "{ view_feed_gaps(order_by: {time_started: asc}) { gap source reason time_started } }",
  "{ view_log_generations(order_by: [{log: asc}, {generation: desc}]) { log generation kept_position reason started_at } }",
  // by distinct values
  "{ view_hijacks(distinct_on: [configured_prefix], order_by: [{configured_prefix: asc}, {key: asc}]) { configured_prefix key } }",
  "{ view_bgpupdates_hijacks(distinct_on: [timestamp], order_by: [{timestamp: asc}, {hijack_key: desc}]) { timestamp hijack_key } }",
  "{ view_bgpupdates(order_by: {timestamp: asc}) { timestamp hijack_links(distinct_on: [hijack_key], order_by: {hijack_key: asc}, limit: 1) { hijack_key } } }",
  // by a relationship and back
  "{ view_hijacks(order_by: {key: asc}) { key update_links(order_by: {timestamp: asc}) { timestamp update { prefix hijack_links(order_by: {hijack_key: asc}) { hijack_key hijack { key ignored } } } } } }",
  "{ view_bgpupdates(order_by: {timestamp: asc}) { timestamp hijack_links(order_by: {hijack_key: asc}) { hijack_key hijack { key prefix update_links(order_by: {timestamp: asc}) { timestamp update { prefix } } } } } }",
  // by counting
  "{ view_hijacks_aggregate { aggregate { count max { key num_peers_seen comment } min { key time_last } sum { num_peers_seen hijack_as } } } }",
  "{ view_bgpupdates_hijacks_aggregate(where: {hijack: {}}) { aggregate { count max { hijack_key } } nodes { hijack_key } } }",
  "{ view_hijacks_log_aggregate { aggregate { count max { position key comment } min { position } sum { num_peers_seen } } } }",
  "{ view_bgpupdates_log_aggregate { aggregate { count max { position } min { position } } nodes { key } } }",
  "{ view_bgpupdates(order_by: {timestamp: asc}) { timestamp hijack_links_aggregate { aggregate { count max { hijack_key service } } } } }",
  "{ view_hijacks(order_by: {key: asc}) { key update_links_aggregate { aggregate { count max { timestamp service } } } } }",
  "{ view_bgpupdates(order_by: [{hijack_links_aggregate: {count: desc}}, {timestamp: asc}]) { timestamp } }",
  "{ view_bgpupdates(order_by: [{hijack_links_aggregate: {max: {hijack_key: desc}}}, {timestamp: asc}]) { timestamp } }",
  "{ view_hijacks(order_by: [{update_links_aggregate: {count: desc}}, {key: asc}]) { key } }",
  "{ view_bgpupdates_hijacks(order_by: [{hijack: {update_links_aggregate: {count: desc}}}, {timestamp: asc}, {hijack_key: asc}]) { timestamp } }",
  ...[0, 1, 2].flatMap((count) => [
    `{ view_bgpupdates(where: {hijack_links_aggregate: {count: {predicate: {_eq: ${count}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_bgpupdates(where: {hijack_links_aggregate: {count: {predicate: {_eq: ${count}}, filter: {hijack: {ignored: {_eq: true}}}}}}, order_by: {timestamp: asc}) { timestamp } }`,
    `{ view_hijacks(where: {update_links_aggregate: {count: {predicate: {_gt: ${count}}, distinct: true, arguments: [timestamp]}}}, order_by: {key: asc}) { key } }`,
  ]),
];

/** The same by errors: no hidden row may make Postgres evaluate a failing pattern. `pattern` is GraphQL text. */
export function trapsWith(pattern: string): readonly string[] {
  return ["_like", "_nilike"].flatMap((operator) => {
    const trap = `{${operator}: ${pattern}}`;
    return [
      ...["key", "type", "comment"].flatMap((column) => [
        `{ view_hijacks(where: {${column}: ${trap}}) { key } }`,
        `{ view_hijacks(where: {_or: [{key: {_eq: "si1"}}, {${column}: ${trap}}]}) { key } }`,
        `{ view_hijacks(where: {_not: {_or: [{${column}: ${trap}}]}}) { key } }`,
        `{ view_bgpupdates_hijacks(where: {hijack: {${column}: ${trap}}}) { timestamp } }`,
        `{ view_bgpupdates(where: {hijack_links: {hijack: {${column}: ${trap}}}}) { timestamp } }`,
        `{ view_bgpupdates(where: {hijack_links_aggregate: {count: {predicate: {_gte: 0}, filter: {hijack: {${column}: ${trap}}}}}}) { timestamp } }`,
        `{ view_hijacks { update_links(where: {hijack: {${column}: ${trap}}}) { timestamp } } }`,
        `{ view_hijacks_aggregate(where: {${column}: ${trap}}) { aggregate { count } nodes { key } } }`,
        `{ view_hijacks_log(where: {${column}: ${trap}}) { key } }`,
        `{ view_hijacks_log(where: {position: {_gt: 0}, ${column}: ${trap}}, order_by: {position: asc}) { position } }`,
      ]),
      `{ view_hijacks(where: {key: {_cast: {String: ${trap}}}}) { key } }`,
      `{ view_bgpupdates_hijacks(where: {hijack_key: ${trap}}) { timestamp } }`,
      `{ view_bgpupdates_hijacks(where: {update: {service: ${trap}}}) { timestamp } }`,
      `{ view_bgpupdates(where: {hijack_links: {hijack_key: ${trap}}}) { timestamp } }`,
      `{ view_bgpupdates(where: {service: ${trap}}) { timestamp } }`,
      `{ view_bgpupdates_log(where: {service: ${trap}}) { key } }`,
      `{ view_hijacks(where: {update_links: {update: {service: ${trap}}}}) { key } }`,
    ];
  });
}

/** Expressions that Postgres cannot parse: an error when it evaluates them on any row. */
export const unreadable: readonly string[] = [
  "_regex",
  "_iregex",
  "_nregex",
  "_niregex",
  "_similar",
  "_nsimilar",
].flatMap((operator) =>
  [
    'key: {_eq: "si1"}',
    "key: {_is_null: false}",
    "hijack_as: {_eq: 65550}",
    "num_peers_seen: {_gt: 6}",
    "ignored: {_eq: true}",
  ].flatMap((known) => [
    `{ view_hijacks(where: {type: {${operator}: "["}}) { key } }`,
    `{ view_hijacks(where: {${known}, type: {${operator}: "["}}) { key } }`,
    `{ view_hijacks(where: {_or: [{_and: [{${known}}, {rpki_status: {${operator}: "("}}]}]}) { key } }`,
    `{ view_bgpupdates(where: {hijack_links: {hijack: {${known}, type: {${operator}: "["}}}}) { timestamp } }`,
    `{ view_bgpupdates_hijacks(where: {hijack: {${known}}, service: {${operator}: "["}}) { timestamp } }`,
    `{ view_hijacks_log(where: {${known}, type: {${operator}: "["}}) { key } }`,
  ]),
);
