import { applicationRoles } from "@routeql/contract/roles";
import { verbLines } from "./verbs.ts";

/** Text of `--help`. */
export const usage = `Usage: node auth-sidecar/src/administration/main.ts COMMAND

Accounts; ACCOUNT is an id or an e-mail address (add --provider ldap for accounts of the directory):
${verbLines("users", "  users ")}

Signing keys; KEY is an id from "keys list":
${verbLines("keys", "  keys ")}

Roles: ${applicationRoles.join(", ")}.
--json prints JSON instead of tables. A new password comes from standard input, never from the command line or the environment.
`;
