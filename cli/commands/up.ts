import type { Command } from "../foundation/command.ts";
import { bringUp } from "../stack/bring-up.ts";
import { upSummary } from "../stack/summary.ts";
import { runInterruptibly } from "./options.ts";

export const command: Command = {
  description: {
    name: "up",
    summary: "Brings the stack up, or up to date, with everything that is missing for it.",
    options: { adopt: { type: "boolean", meaning: "take over a stack of this name from another checkout or Docker engine" } },
    notes: [
      "Settings come from Pulumi.<stack>.yaml and the environment file .env; docs/reference/settings.md describes them.",
      "A container that was stopped or removed is started or made again; what an interrupted run left is repaired.",
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
