import type { Mutation } from "./mutation.ts";

const tables = "hasura-metadata/databases/default/tables";
const tests = ["packages/metadata/read/project-metadata.test.ts"];
const suite = "unit";

/** Faults in the project's own metadata. */
export const metadataMutations: readonly Mutation[] = [
  {
    fault: "a widened filter: a tenant sees the hijacks of every organisation",
    file: `${tables}/public_view_hijacks.yaml`,
    edits: [
      {
        from: "        configurations:\n          organisation:\n            _eq: X-Hasura-Org-Id\n",
        to: "        configurations:\n          organisation:\n            _is_null: false\n",
      },
    ],
    suite,
    tests,
    noticedBy: "every filter of a tenant uses the organisation",
  },
  {
    fault: "a removed filter: a viewer sees ignored hijacks",
    file: `${tables}/public_view_hijacks.yaml`,
    edits: [{ from: "      filter:\n        ignored:\n          _eq: false\n", to: "      filter: {}\n" }],
    suite,
    tests,
    noticedBy: "a viewer sees no ignored hijack",
  },
  {
    fault: "a dropped limit: a viewer gets ten times the rows",
    file: `${tables}/public_view_bgpupdates.yaml`,
    edits: [{ from: "      limit: 100\n", to: "      limit: 1000\n" }],
    suite,
    tests,
    noticedBy: "each with a row limit",
  },
  {
    fault: "an exposed column: a viewer reads the communities of updates",
    file: `${tables}/public_view_bgpupdates.yaml`,
    edits: [
      {
        from: "  - role: viewer\n    permission:\n      columns:\n        - as_path\n",
        to: "  - role: viewer\n    permission:\n      columns:\n        - as_path\n        - communities\n",
      },
    ],
    suite,
    tests,
    noticedBy: "has 12 fields for all but the viewer",
  },
  {
    fault: "swapped roles: a viewer has the analyst's permission and the analyst the viewer's",
    file: `${tables}/public_view_bgpupdates.yaml`,
    edits: [
      { from: "  - role: viewer\n", to: "  - role: somebody\n" },
      { from: "  - role: analyst\n", to: "  - role: viewer\n" },
      { from: "  - role: somebody\n", to: "  - role: analyst\n" },
    ],
    suite,
    tests,
    noticedBy: "each with a row limit",
  },
  {
    fault: "aggregates for a viewer, who may not count",
    file: `${tables}/public_view_hijacks.yaml`,
    edits: [
      {
        from: "          _eq: false\n      limit: 100\n",
        to: "          _eq: false\n      limit: 100\n      allow_aggregations: true\n",
      },
    ],
    suite,
    tests,
    noticedBy: "a viewer has no aggregates",
  },
];
