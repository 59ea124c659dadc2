import { pruneCommand } from "@routeql/database/prune/command";
import { databaseCommand } from "../database/database-command.ts";

export const command = databaseCommand({
  name: "prune",
  summary: "Deletes old routing updates that belong to no hijack, and old audit events.",
  operands: "[--keep-days N] [--keep-audit-days N] [--dry-run]",
  role: "owner",
  program: pruneCommand,
});
