/** Section "Resources and their fields", field by field, in the specification's order. */
export const updateFields = [
  "as_path",
  "communities",
  "handled",
  "hijack_key",
  "matched_prefix",
  "orig_path",
  "origin_as",
  "peer_asn",
  "prefix",
  "service",
  "timestamp",
  "type",
] as const;

export const hijackFields = [
  "active",
  "comment",
  "configured_prefix",
  "hijack_as",
  "ignored",
  "dormant",
  "key",
  "mitigation_started",
  "num_asns_inf",
  "num_peers_seen",
  "outdated",
  "peers_seen",
  "peers_withdrawn",
  "prefix",
  "resolved",
  "seen",
  "time_detected",
  "time_ended",
  "time_last",
  "time_started",
  "timestamp_of_config",
  "type",
  "under_mitigation",
  "withdrawn",
  "community_annotation",
  "rpki_status",
] as const;

/** Both views with their sort fields in the specification. */
export const views = [
  { view: "view_bgpupdates", fields: updateFields, sort: "timestamp" },
  { view: "view_hijacks", fields: hijackFields, sort: "time_last" },
] as const;

export type View = (typeof views)[number];

/** The query of the specification. */
export function specifiedQuery({ view, fields, sort }: View, limit = 10): string {
  return `query { ${view}(limit: ${limit}, order_by: {${sort}: desc}) { ${fields.join(" ")} } }`;
}
