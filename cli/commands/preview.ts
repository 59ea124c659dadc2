import { type Command, stackOption } from "../foundation/command.ts";
import { describeSteps } from "../stack/effects.ts";
import { previewUp, type PreviewResult } from "../stack/bring-up.ts";

/** @param form `brief`: the effects only; `diff`: each property that changes */
export function previewText(
  { text, effects, steps }: Pick<PreviewResult, "text" | "effects" | "steps">,
  form: "brief" | "resources" | "diff",
  stack: string,
): string {
  const changes = describeSteps(steps);
  const parts = [effects.join("\n")];
  if (form === "diff") parts.push(text.trim());
  if (form === "resources" && changes.length > 0)
    parts.push(changes.join("\n"), `Each property: npm run preview --${stackOption(stack)} --diff`);
  return `\n${parts.join("\n\n")}`;
}

export const command: Command = {
  description: {
    name: "preview",
    summary: "Prints the changes that `npm run up` would make, and changes nothing.",
    options: {
      brief: { type: "boolean", meaning: "print the services, jobs and data that change, without the resources" },
      diff: { type: "boolean", meaning: "print each property that changes" },
      "unchecked-directory": {
        type: "boolean",
        meaning: "continue with an LDAP directory that does not accept the settings",
      },
    },
  },
  run: async (stack, args, signal) => {
    const result = await previewUp({ stack, signal, uncheckedDirectory: args.flag("unchecked-directory") });
    const form = args.flag("diff") ? "diff" : args.flag("brief") ? "brief" : "resources";
    console.log(previewText(result, form, stack));
  },
};
