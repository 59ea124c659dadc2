import { type Command, stackArgument, stackOption } from "../foundation/command.ts";
import { bringDown } from "../stack/bring-down.ts";

export const command: Command = {
  description: {
    name: "down",
    summary: "Stops and removes the stack. Its data and the matching secrets stay, unless --volumes is set.",
    options: {
      volumes: { type: "boolean", meaning: "delete the data permanently" },
      adopt: { type: "boolean", meaning: "also remove a stack of this name that belongs to another checkout" },
    },
  },
  run: async (stack, args, signal) => {
    const { destroyed, keptVolumes, removedVolumes, secretsKept, warning } = await bringDown({
      stack,
      signal,
      volumes: args.flag("volumes"),
      adopt: args.flag("adopt"),
    });
    const nothing = destroyed + keptVolumes.length + removedVolumes.length === 0 && !secretsKept;
    console.log(nothing ? `\nThis checkout has no stack ${stack}.` : `\nThe stack ${stack} is down.`);
    if (removedVolumes.length > 0) console.log(`Removed the volumes ${removedVolumes.join(", ")}.`);
    if (keptVolumes.length > 0) {
      console.log(`Kept the data: ${keptVolumes.join(", ")}.`);
      const goOn = secretsKept
        ? `\`npm run up${stackArgument(stack)}\` uses them again`
        : "Their secrets are not in this checkout";
      console.log(`${goOn}; \`npm run down -- --volumes${stackOption(stack)}\` deletes them.`);
      if (warning !== undefined) console.log(warning);
    }
  },
};
