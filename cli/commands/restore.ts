import { resolve } from "node:path";
import { openClientPrograms } from "../database/client-programs.ts";
import { showProgress } from "../database/counted.ts";
import { runMigrations } from "../database/migrate-again.ts";
import { restoreFrom } from "../database/restore.ts";
import type { Command } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "restore",
    summary: "Puts a backup into the stack's database, which has to be empty.",
    operands: "FILE",
    options: { replace: { type: "boolean", meaning: "take away what is in the database" } },
    notes: [
      "All or nothing: where the backup cannot be restored, the database stays as it was. While it runs, queries and logins wait or fail.",
      "The signing keys and the first password need the secrets of the stack that was backed up: docs/operate/backup.md.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async (signal) => {
      const [file, ...others] = args.rest;
      if (file === undefined || others.length > 0) {
        throw new Failure("restore takes one FILE", { remedy: "npm run restore -- FILE, as `npm run backup` wrote it." });
      }
      await using programs = await openClientPrograms(stack, signal);
      const { show, end } = showProgress("read");
      try {
        await restoreFrom(programs, resolve(file), { replace: args.flag("replace"), show });
      } finally {
        end();
      }
      await runMigrations(stack, signal);
      console.log(`The database of the stack ${stack} is as ${file} has it.`);
      return 0;
    }),
};
