/**
 * docs/reference/permissions.md, generated from the project's metadata by `npm run documents`.
 * @module
 */
import { renderPermissions } from "hasura-checks/permissions/markdown";
import { declared } from "./support/declared.ts";

const notes = `
## Consequences

- A viewer sees the keys of ignored hijacks in \`hijack_key\` of updates, but neither the hijack's record nor its links. A tenant can see the
  key of another organisation's hijack there, if an update within its prefix belongs to that hijack too. To hide the keys, remove
  \`hijack_key\` from the role's columns of \`view_bgpupdates\`; \`hijack_links\` remains.
- \`update\` of a link is null if the update has no \`peer_asn\`. A tenant does not see such links.
- No role may read \`view_configured_prefixes\`; a tenant's filter uses it. A session without \`x-hasura-org-id\` gets an error. A prefix
  without an organisation belongs to no tenant.
- Postgres cannot compare json columns (\`communities\`, \`orig_path\`): \`order_by\`, \`distinct_on\` and comparisons with them fail, as in Hasura.
- The embedded engine matches patterns (\`_like\`, \`_regex\`) only against rows that pass the filter, so their errors reveal nothing of
  hidden rows. Hasura leaves the order to Postgres.
- The time of an answer and the plan of Postgres depend on hidden rows too.
`;

export function permissionsDocument(): string {
  return renderPermissions([{ name: undefined, access: declared() }], {
    rolesWithoutPermission: ["pending"],
    origin: "Generated from `hasura-metadata/`. The suite `permissions` checks this page and the engine against it.",
    notes,
  });
}
