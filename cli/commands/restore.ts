import { resolve } from "node:path";
import { openClientPrograms } from "../database/client-programs.ts";
import { showProgress } from "../database/counted.ts";
import { runMigrations } from "../database/migrate-again.ts";
import { restoreFrom } from "../database/restore.ts";
import type { Command } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { keepLastRun } from "../stack/last-runs.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "restore",
    summary: "Restores a backup into the stack's database, which must be empty.",
    operands: "FILE",
    options: { replace: { type: "boolean", meaning: "delete the current content of the database" } },
    notes: [
      "If the restore fails, the database keeps its content. Meanwhile queries and logins wait or fail.",
      "The signing keys and the first password need the secrets of the original stack: docs/operate/backup.md.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async (signal) => {
      const [file, ...others] = args.rest;
      if (file === undefined || others.length > 0) {
        throw new Failure("restore requires one FILE", { remedy: "npm run restore -- FILE, where `npm run backup` wrote the file." });
      }
      await using programs = await openClientPrograms(stack, signal);
      const { show, end } = showProgress("read");
      try {
        await restoreFrom(programs, resolve(file), { replace: args.flag("replace"), show });
      } finally {
        end();
      }
      await runMigrations(stack, signal);
      await keepLastRun(stack, "restore");
      console.log(`The database of the stack ${stack} now has the content of ${file}.`);
      return 0;
    }),
};
