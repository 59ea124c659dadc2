/** A difference between the engine's behaviour and the metadata. */
export interface Fault {
  readonly what: string;
  /** Expected kinds of findings; at least one must appear. */
  readonly found: readonly string[];
  readonly role: string;
  readonly apply: (permission: Record<string, unknown>) => void;
  readonly table: string;
}

const everyRow = (permission: Record<string, unknown>) => {
  permission["filter"] = {};
};

/** Faults of an engine, or of a deployment with other metadata than the repository's. */
export const faults: readonly Fault[] = [
  { what: "the viewer's filter is gone", role: "viewer", table: "view_hijacks", found: ["rows"], apply: everyRow },
  { what: "the tenant's filter is gone", role: "tenant", table: "view_bgpupdates", found: ["rows"], apply: everyRow },
  {
    what: "the filter of links is gone",
    role: "viewer",
    table: "view_bgpupdates_hijacks",
    found: ["relationships"],
    apply: everyRow,
  },
  {
    what: "the filter checks only one end of a link",
    role: "tenant",
    table: "view_bgpupdates_hijacks",
    found: ["rows"],
    apply: (permission) =>
      (permission["filter"] = { hijack: { configurations: { organisation: { _eq: "X-Hasura-Org-Id" } } } }),
  },
  {
    what: "the filter compares with another variable",
    role: "tenant",
    table: "view_hijacks",
    found: ["rows", "sessions"],
    apply: (permission) => (permission["filter"] = { configurations: { organisation: { _eq: "X-Hasura-User-Id" } } }),
  },
  {
    what: "the filter compares with a pattern",
    role: "tenant",
    table: "view_hijacks",
    found: ["sessions"],
    apply: (permission) => (permission["filter"] = { configurations: { organisation: { _like: "X-Hasura-Org-Id" } } }),
  },
  {
    what: "the filter ignores case",
    role: "tenant",
    table: "view_hijacks",
    found: ["sessions"],
    apply: (permission) => (permission["filter"] = { configurations: { organisation: { _ilike: "X-Hasura-Org-Id" } } }),
  },
  {
    what: "the filter is inverted",
    role: "viewer",
    table: "view_hijacks",
    found: ["rows"],
    apply: (permission) => (permission["filter"] = { ignored: { _eq: true } }),
  },
  {
    what: "nothing is served",
    role: "analyst",
    table: "view_hijacks",
    found: ["rows"],
    apply: (permission) => (permission["filter"] = { _or: [] }),
  },
  {
    what: "a hidden column is served",
    role: "viewer",
    table: "view_hijacks",
    found: ["schema"],
    apply: (permission) => (permission["columns"] as string[]).push("comment"),
  },
  {
    what: "a granted column is missing",
    role: "analyst",
    table: "view_hijacks",
    found: ["schema"],
    apply: (permission) => (permission["columns"] as string[]).pop(),
  },
  {
    what: "the limit is raised",
    role: "viewer",
    table: "view_bgpupdates",
    found: ["limit"],
    apply: (permission) => (permission["limit"] = 101),
  },
  {
    what: "the limit is gone",
    role: "analyst",
    table: "view_bgpupdates",
    found: ["limit"],
    apply: (permission) => delete permission["limit"],
  },
  {
    what: "aggregates are allowed",
    role: "viewer",
    table: "view_bgpupdates",
    found: ["schema"],
    apply: (permission) => (permission["allow_aggregations"] = true),
  },
  {
    what: "a root field is missing",
    role: "viewer",
    table: "view_bgpupdates",
    found: ["schema"],
    apply: (permission) => (permission["subscription_root_fields"] = ["select"]),
  },
];
