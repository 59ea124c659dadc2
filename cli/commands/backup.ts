import { resolve } from "node:path";
import { backUpTo, backUpToOutput } from "../database/backup.ts";
import { openClientPrograms } from "../database/client-programs.ts";
import { megabytes, showProgress } from "../database/transferred-bytes.ts";
import type { Command } from "../foundation/command.ts";
import { recordRun } from "../place/programs.ts";
import { encryptState } from "../saved-state/saved-state.ts";

const standardFile = (stack: string): string =>
  `routeql-${stack}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z.dump`;

export const command: Command = {
  description: {
    name: "backup",
    summary:
      "Writes a backup of the stack's database: updates, hijacks, accounts, signing keys (as encrypted as they are stored).",
    options: {
      to: {
        type: "string",
        value: "FILE",
        meaning: "target file; - is standard output (routeql-STACK-TIME.dump in this folder)",
      },
      recipient: {
        type: "string",
        value: "FILE",
        meaning: "also save the stack's state and secrets, for the holder of this certificate's private key (PEM)",
      },
    },
    notes: [
      "The stack keeps running. The file is a consistent snapshot, readable by its owner alone, and appears only when complete.",
      "To encrypt it for transport: npm run --silent backup -- --to - | age -r KEY >backup.age",
      "docs/operate/backup.md explains nightly backups and the files to keep with them.",
    ],
  },
  run: async (stack, args, signal) => {
    const started = performance.now();
    const recipient = args.optionalText("recipient");
    const state = recipient === undefined ? undefined : await encryptState(stack, recipient);
    await using programs = await openClientPrograms(stack, signal);
    const { show, end } = showProgress("written");
    const to = args.optionalText("to") ?? standardFile(stack);
    try {
      if (to === "-") {
        await recordRun(programs, "backup", started, await backUpToOutput(programs, show, state));
        return;
      }
      const file = resolve(to);
      const bytes = await backUpTo(programs, file, show, state);
      end();
      await recordRun(programs, "backup", started, bytes);
      console.log(`${file}: ${megabytes(bytes)}`);
    } finally {
      end();
    }
  },
};
