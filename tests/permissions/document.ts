/** docs/reference/permissions.md, generated from the project's metadata by `npm run documents`. */
import { renderPermissions } from "hasura-checks/permissions/report/markdown";
import { declared } from "./support/declared.ts";

const notes = `
## Consequences

- \`hijack_key\` of an update shows a viewer the keys of ignored hijacks, and a tenant those of another organisation's hijack of the same update.
  To hide them, remove \`hijack_key\` from the role's columns of \`view_bgpupdates\`; \`hijack_links\` remains.
- \`update\` of a link is null if the update has no \`peer_asn\`. A tenant does not see such links.
- A session without \`x-hasura-org-id\` gets an error. A prefix without an organisation belongs to no tenant.
- Postgres cannot compare json columns (\`communities\`, \`orig_path\`): \`order_by\`, \`distinct_on\` and comparisons fail, as in Hasura.
- The embedded engine matches patterns (\`_like\`, \`_regex\`) only against visible rows. Hasura leaves the order to Postgres.
- The time of an answer and the plan of Postgres depend on hidden rows too.
`;

export function permissionsDocument(): string {
  return renderPermissions([{ name: undefined, access: declared() }], {
    rolesWithoutPermission: ["pending"],
    origin: "Generated from `hasura-metadata/`. The suite `permissions` checks this page and the engine against it.",
    notes,
  });
}
