import type { Command } from "../foundation/command.ts";
import { bringUp } from "../stack/bring-up.ts";
import { upSummary } from "../stack/summary.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "up",
    summary: "Starts the stack or updates it, and installs its prerequisites.",
    options: {
      adopt: { type: "boolean", meaning: "take over a stack of this name from another checkout or Docker engine" },
    },
    notes: [
      "Settings come from Pulumi.<stack>.yaml and the environment file .env; docs/reference/settings.md describes them.",
      "Stopped or removed containers are started or recreated. An interrupted run is repaired.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async (signal) => {
      const started = Date.now();
      const result = await bringUp({ stack, signal, adopt: args.flag("adopt") });
      console.log(upSummary(stack, result, (Date.now() - started) / 1000));
      return 0;
    }),
};
