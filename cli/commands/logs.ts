import type { Command } from "../foundation/command.ts";
import { printLogs, readLogOptions } from "../logs/logs.ts";
import { openPlace } from "../open-place.ts";

export const command: Command = {
  description: {
    name: "logs",
    summary: "Shows the logs of all services, or of those named, in order of time.",
    operands: "[SERVICE…]",
    options: {
      follow: { type: "boolean", short: "f", meaning: "print new lines until Ctrl-C" },
      tail: {
        type: "string",
        value: "N",
        meaning: "last lines of each service (200; all with --since or --request-id)",
      },
      since: { type: "string", value: "TIME", meaning: "only newer lines: 30s, 10m, 2h, 1d or 2026-05-04T10:00:00Z" },
      "request-id": { type: "string", value: "ID", meaning: "only lines with this x-request-id" },
      json: { type: "boolean", meaning: "one JSON object a line, with time, service, container and requestId" },
    },
    notes: [
      "npm run logs -- --since 10m engine gateway",
      "npm run --silent logs -- --since 1h --json gateway | jq 'select(.status >= 500)'",
      "`--silent` keeps npm's own lines out of the output. docs/operate/status.md describes the fields.",
    ],
  },
  // Ctrl-C is the usual end of `--follow` and needs no message.
  onInterrupt: "silent",
  endsWithOutput: true,
  run: async (stack, args, signal) => {
    const options = readLogOptions(args);
    const place = await openPlace(stack);
    await printLogs(await place.logs(options, signal), options, signal);
  },
};
