/**
 * docs/reference/permissions.md, generated from the project's metadata by `npm run documents`.
 * @module
 */
import { renderPermissions } from "hasura-checks/permissions/markdown";
import { declared } from "./support/declared.ts";

const notes = `
## What follows from it, and one should know

- A viewer reads \`hijack_key\` of updates whole. So the keys of ignored hijacks show there, and with them which updates belong to
  one, whose prefix and origin tell what it was about; of the hijack's record, and of its links, nothing is served. Metadata cannot cut
  single values out of an array: a team that wants the keys hidden takes \`hijack_key\` from the viewer's columns of \`view_bgpupdates\` and leaves \`hijack_links\` in its place.
- For the same reason a tenant can read the key of another organisation's hijack, where an update within its own prefix belongs to
  that hijack too: after a prefix has changed hands, or a more specific prefix was configured for another organisation.
- A link that belongs to an update without \`peer_asn\` leads nowhere, since nothing equals null: a tenant is not served such links, and
  \`update\` of them is null for everyone.
- \`view_configured_prefixes\` is granted to no role. A tenant's filter goes through it, with the session's \`x-hasura-org-id\`; a session without
  that variable gets an error and no row. A prefix without an organisation belongs to no tenant.
- Views have no primary key, so there is no \`_by_pk\`. No role can write.
- Columns of type json (\`communities\`, \`orig_path\`) exist in \`order_by\`, \`distinct_on\` and comparisons where they may be read, as Hasura
  has it, though Postgres cannot compare them and answers with an error.
- Patterns (\`_like\`, \`_regex\` and their kind) are matched only against rows that the filter has let through, so that their errors tell
  nothing of the others. This is the embedded engine's doing. Hasura writes filter and condition into one WHERE, whose order Postgres
  chooses; what that lets through has not been tried here.
- How long an answer takes, and which plan Postgres chooses, does depend on rows that are not served.
`;

export function permissionsDocument(): string {
  return renderPermissions([{ name: undefined, access: declared() }], {
    rolesWithoutPermission: ["pending"],
    origin: "Generated from `hasura-metadata/`. The suite `permissions` checks this page and the engine against it.",
    notes,
  });
}
