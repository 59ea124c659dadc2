import { loadCommand } from "../../../database/load/command.ts";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "load",
    summary: "Loads routing updates into the stack's database.",
    operands: "[OPTIONS…] FILE…",
    options: {},
    passesOn: true,
  },
  moreHelp: async () => {
    console.log();
    await loadCommand(["--help"], () => Promise.reject(new Error("help needs no database")));
  },
  run: (stack, args) => runInterruptibly(() => loadCommand(args.rest, () => openDatabase(stack, "loader"))),
};
