import { pruneCommand } from "../../../database/prune/command.ts";
import { databaseCommand } from "../database/database-command.ts";

export const command = databaseCommand({
  name: "prune",
  summary: "Takes away the routing updates of old days, but for those that belong to a hijack.",
  operands: "--keep-days N [--dry-run]",
  role: "owner",
  program: pruneCommand,
});
