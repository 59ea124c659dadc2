import type { Command } from "../foundation/command.ts";
import { previewUp } from "../stack/bring-up.ts";

export const command: Command = {
  description: {
    name: "preview",
    summary: "Prints the changes that `npm run up` would make, and changes nothing.",
    options: {},
  },
  run: async (stack, _args, signal) => {
    const { text, effects, warnings } = await previewUp({ stack, signal });
    console.log(`\n${effects.join("\n")}\n\n${text.trim()}`);
    for (const warning of warnings) console.log(`\nWarning: ${warning}`);
  },
};
