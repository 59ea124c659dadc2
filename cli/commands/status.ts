import { printableLines } from "@routeql/contract/printable";
import { Failure } from "@routeql/host/failure";
import type { Command } from "../foundation/command.ts";
import { readSince } from "../logs/logs.ts";
import { collectStatus } from "../report/collect.ts";
import { statusText } from "../status/text.ts";

/** Milliseconds of `26h`. @throws Failure for other texts */
export function limitOf(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const limit = /^\d+[smhd]$/.test(text) ? -readSince(text, 0).getTime() : Number.NaN;
  if (limit > 0) return limit;
  throw new Failure(`--${option} ${text} is not a duration`, { remedy: `for example --${option} 26h.` });
}

export const command: Command = {
  description: {
    name: "status",
    summary: "Shows the state of the stack, its services and its data, and the next command for each problem.",
    options: {
      json: { type: "boolean", meaning: "print the report as JSON" },
      drift: { type: "boolean", meaning: "compare the stack with its program too (takes as long as npm run preview)" },
      "max-data-age": { type: "string", value: "TIME", meaning: "report older data as a problem: 90s, 15m, 26h or 7d" },
      "max-backup-age": { type: "string", value: "TIME", meaning: "report an older or missing backup as a problem" },
    },
    notes: ["Exits with 0 when all is well, and with 1 otherwise. npm run --silent status -- --json | jq .problems"],
  },
  run: async (stack, args, signal) => {
    const limits = {
      dataAge: limitOf("max-data-age", args.optionalText("max-data-age")),
      backupAge: limitOf("max-backup-age", args.optionalText("max-backup-age")),
    };
    const report = await collectStatus(stack, { limits, drift: args.flag("drift"), signal });
    console.log(args.flag("json") ? JSON.stringify(report, undefined, 2) : printableLines(statusText(report)));
    return report.fine ? 0 : 1;
  },
};
