/** One query in the language of each contender. */
export interface Case {
  readonly name: string;
  /** One row with a column `data`, the text of the reply's data. */
  readonly statement: string;
  readonly hasura: string;
  readonly postgraphile: string;
  /** Concurrent connections. */
  readonly connections: number;
}

const columns =
  "prefix origin_as peer_asn as_path service type communities timestamp hijack_key handled matched_prefix orig_path";
const camelCase = (names: string): string => names.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
const quoted = (names: string): string =>
  names
    .split(" ")
    .map((name) => `"${name}"`)
    .join(", ");

/** The specification's own query with all twelve fields. */
export function newest(rows: number): Case {
  return {
    name: `${rows.toLocaleString("en")} rows`,
    statement: `select '{"view_bgpupdates":' || coalesce(json_agg(u), '[]')::text || '}' as data
      from (select ${quoted(columns)} from view_bgpupdates order by "timestamp" desc limit ${rows}) u`,
    hasura: `query { view_bgpupdates(limit: ${rows}, order_by: {timestamp: desc}) { ${columns} } }`,
    postgraphile: `query { allViewBgpupdates(first: ${rows}, orderBy: TIMESTAMP_DESC) { nodes { ${camelCase(columns)} } } }`,
    connections: 16,
  };
}

const hijackColumns = "key prefix hijack_as time_last num_peers_seen";
const linkColumns = "timestamp prefix peer_asn type as_path";

const nested: Case = {
  name: "nested",
  statement: `select '{"view_hijacks":' || coalesce(json_agg(h), '[]')::text || '}' as data
    from (select ${quoted(hijackColumns)},
            (select coalesce(json_agg(l), '[]') from (select ${quoted(linkColumns)} from view_bgpupdates_hijacks where hijack_key = h.key limit 10) l) as update_links
          from view_hijacks h order by time_last desc limit 10) h`,
  hasura: `query { view_hijacks(limit: 10, order_by: {time_last: desc}) { ${hijackColumns} update_links(limit: 10) { ${linkColumns} } } }`,
  postgraphile: `query { allViewHijacks(first: 10, orderBy: TIME_LAST_DESC) { nodes { ${camelCase(hijackColumns)} updateLinks(first: 10) { nodes { ${camelCase(linkColumns)} } } } } }`,
  connections: 16,
};

/** @param prefix one with about a hundred updates */
function aggregate(prefix: string): Case {
  return {
    name: "aggregate",
    statement: `select json_build_object('view_bgpupdates_aggregate', json_build_object('aggregate', json_build_object('count', count(*))))::text as data
      from view_bgpupdates where prefix = '${prefix}'`,
    hasura: `query { view_bgpupdates_aggregate(where: {prefix: {_eq: "${prefix}"}}) { aggregate { count } } }`,
    postgraphile: `query { allViewBgpupdates(condition: {prefix: "${prefix}"}) { totalCount } }`,
    connections: 16,
  };
}

export function cases(prefix: string): Case[] {
  return [newest(10), newest(1_000), nested, aggregate(prefix)];
}
