import { loadCommand } from "@routeql/database/load/command";
import { databaseCommand } from "../database/database-command.ts";

export const command = databaseCommand({
  name: "load",
  summary: "Loads routing updates into the stack's database.",
  operands: "[OPTIONS…] FILE…",
  role: "loader",
  program: loadCommand,
});
