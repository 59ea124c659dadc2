import { Failure } from "@routeql/host/failure";
import { type Command, stackArgument } from "../foundation/command.ts";
import { bringUp } from "../stack/bring-up.ts";
import { kinds, raiseGenerations } from "../configuration/rotation.ts";

export const command: Command = {
  description: {
    name: "rotate",
    summary: "Replaces generated secrets of a running stack without a failed request.",
    operands: [...Object.keys(kinds), "all"].join(" | "),
    options: {
      overlap: {
        type: "string",
        value: "HOURS",
        default: "24",
        meaning: "time for which clients may use the former service-api-key or engine-access-key; 0 ends it at once",
      },
    },
    notes: [
      "It raises the secret's generation in Pulumi.<stack>.yaml and runs `npm run up`. With plain Pulumi: pulumi config set, then pulumi up.",
      "access.env has the new keys. docs/operate/secrets.md names the metrics that show the clients of a former key.",
    ],
  },
  run: async (stack, args, signal) => {
    const [kind, ...more] = args.rest;
    if (kind === undefined || more.length > 0)
      throw new Failure("rotate: name one secret", { remedy: `one of ${Object.keys(kinds).join(", ")}, all.` });
    const hours = Number(args.text("overlap"));
    if (!(hours >= 0 && hours <= 8760))
      throw new Failure("--overlap is not a number of hours from 0 to 8760", { remedy: "give one, such as 24." });
    const lines = await raiseGenerations(stack, kind, hours);
    console.log(lines.join("\n"));
    await bringUp({ stack, signal });
    console.log(`\nRotated. npm run status${stackArgument(stack)} shows the services.`);
  },
};
