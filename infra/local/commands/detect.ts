import { detectCommand } from "../../../database/detect/command.ts";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "detect",
    summary: "Finds hijacks of configured prefixes among the loaded updates and records them.",
    operands: "[OPTIONS…] CONFIG.yaml",
    options: {},
    passesOn: true,
  },
  moreHelp: async () => {
    console.log();
    await detectCommand(["--help"], () => Promise.reject(new Error("help needs no database")));
  },
  run: (stack, args) => runInterruptibly(() => detectCommand(args.rest, () => openDatabase(stack, "loader"))),
};
