import { administrationCommand } from "../administration/administration-command.ts";

export const command = administrationCommand("keys", "Works on the keys that sign the tokens of a stack that is up.", [
  "KEY is an id of `npm run keys -- list`. docs/operate/users.md tells when to rotate and when to retire.",
]);
