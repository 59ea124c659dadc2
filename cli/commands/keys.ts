import { administrationCommand } from "../administration/administration-command.ts";

export const command = administrationCommand("keys", "Manages the keys that sign the tokens of a running stack.", [
  "KEY is an id of `npm run keys -- list`. docs/operate/users.md explains when to rotate and when to retire a key.",
]);
