import { applicationRoles } from "@routeql/contract/roles";
import { verbLines } from "./verbs.ts";

/** What `--help` prints. */
export const usage = `Usage: node auth-sidecar/src/administration/main.ts COMMAND

Accounts; ACCOUNT is an id or an e-mail address (--provider ldap for those of the directory):
${verbLines("users", "  users ")}

Signing keys; KEY is an id of keys list:
${verbLines("keys", "  keys ")}

Roles: ${applicationRoles.join(", ")}.
--json prints JSON instead of tables. A new password comes from standard input, never from the command line or the environment.
`;
