import { detectCommand } from "@routeql/database/detect/command";
import { databaseCommand } from "../database/database-command.ts";

export const command = databaseCommand({
  name: "detect",
  summary: "Finds hijacks of configured prefixes among the loaded updates and records them.",
  operands: "[OPTIONS…] CONFIG.yaml",
  role: "loader",
  program: detectCommand,
});
