import { pruneCommand } from "../../../database/prune/command.ts";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "prune",
    summary: "Takes away the routing updates of old days, but for those that belong to a hijack.",
    operands: "--keep-days N [--dry-run]",
    options: {},
    passesOn: true,
  },
  moreHelp: async () => {
    console.log();
    await pruneCommand(["--help"], () => Promise.reject(new Error("help needs no database")));
  },
  run: (stack, args) => runInterruptibly(() => pruneCommand(args.rest, () => openDatabase(stack, "owner"))),
};
