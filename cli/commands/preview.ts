import type { Command } from "../foundation/command.ts";
import { previewUp } from "../stack/bring-up.ts";

export const command: Command = {
  description: {
    name: "preview",
    summary: "Prints the changes that `npm run up` would make, and changes nothing.",
    options: {
      brief: { type: "boolean", meaning: "print the services, jobs and data that change, without each resource" },
      "unchecked-directory": {
        type: "boolean",
        meaning: "continue with an LDAP directory that does not accept the settings",
      },
    },
  },
  run: async (stack, args, signal) => {
    const { text, effects } = await previewUp({ stack, signal, uncheckedDirectory: args.flag("unchecked-directory") });
    console.log(`\n${effects.join("\n")}${args.flag("brief") ? "" : `\n\n${text.trim()}`}`);
  },
};
