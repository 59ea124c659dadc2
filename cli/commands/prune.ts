import { pruneCommand } from "@routeql/database/prune/command";
import { databaseCommand } from "../database/database-command.ts";

export const command = databaseCommand({
  name: "prune",
  summary: "Takes away the routing updates of old days that belong to no hijack, and the audit events of old days.",
  operands: "[--keep-days N] [--keep-audit-days N] [--dry-run]",
  role: "owner",
  program: pruneCommand,
});
