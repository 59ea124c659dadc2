import { administrationCommand } from "../administration/administration-command.ts";

export const command = administrationCommand("users", "Manages the accounts of a running stack.", [
  "ACCOUNT is an e-mail address or an id; --provider ldap selects the accounts of the directory.\n" +
    "ROLE is pending, viewer, analyst, tenant or operator. docs/operate/users.md describes the roles.",
  "A password comes only from a prompt without echo or from standard input:\n" +
    "  npm run --silent users -- add a@example.net --role viewer <password.txt",
]);
