import { administrationCommand } from "../administration/administration-command.ts";

export const command = administrationCommand("users", "Works on the accounts of a stack that is up.", [
  "ACCOUNT is an e-mail address or an id; accounts of the directory are meant with --provider ldap.\n" +
    "ROLE is pending, viewer, analyst, tenant or operator. docs/operate/users.md tells more.",
  "A password is asked for without echo, or read from standard input, and taken from nowhere else:\n" +
    "  npm run --silent users -- add a@example.net --role viewer <password.txt",
]);
