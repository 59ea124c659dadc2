import { resolve } from "node:path";
import { Failure } from "@routeql/host/failure";
import type { Command } from "../foundation/command.ts";
import { supportEntries, writeBundle } from "../report/bundle.ts";

const nameOf = (stack: string): string =>
  `routeql-support-${stack}-${new Date().toISOString().slice(0, 19).replaceAll(":", "-")}Z`;

export const command: Command = {
  description: {
    name: "support",
    summary:
      "Writes a file for a support request: status, versions, settings without secrets, logs and resource usage.",
    options: {
      to: {
        type: "string",
        value: "FILE",
        meaning: "file to write (routeql-support-STACK-TIME.tar.gz in this folder)",
      },
      lines: { type: "string", value: "N", default: "1000", meaning: "last log lines of each service" },
    },
    notes: [
      "The file contains no password, key or token. E-mail addresses are numbers. It contains IP addresses of clients, ids of accounts and your settings: read it before you send it.",
      "A stack with services that are down works too: the bundle lists missing data.",
    ],
  },
  run: async (stack, args, signal) => {
    const lines = args.text("lines");
    if (!/^\d{1,7}$/.test(lines))
      throw new Failure("--lines takes a number of lines", { remedy: "for example --lines 5000." });
    const name = nameOf(stack);
    const file = resolve(args.optionalText("to") ?? `${name}.tar.gz`);
    const entries = await supportEntries(stack, { lines: Number(lines), signal });
    await writeBundle(file, name, entries);
    console.log(`${file}: ${entries.map((entry) => entry.name).join(", ")}`);
  },
};
