import { relative } from "node:path";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import { type Command, stackArgument, stackOption } from "../foundation/command.ts";
import type { PhaseTime } from "../foundation/phases.ts";
import { shellQuote } from "../access/access.ts";
import { bringUp, type UpResult } from "../stack/bring-up.ts";

export const command: Command = {
  description: {
    name: "up",
    summary: "Starts the stack or updates it, and installs its prerequisites.",
    options: {
      images: {
        type: "string",
        value: "FILE",
        meaning: "Kubernetes: images.txt of npm run render; refuse to run with other images",
      },
      adopt: { type: "boolean", meaning: "take over a stack of this name from another checkout or Docker daemon" },
      "unchecked-directory": {
        type: "boolean",
        meaning: "continue with an LDAP directory that does not accept the settings",
      },
    },
    notes: [
      "Settings come from Pulumi.<stack>.yaml and the environment file .env; docs/reference/settings.md describes them.",
      "Stopped or removed containers are started or recreated. An interrupted run is repaired.",
    ],
  },
  run: async (stack, args, signal) => {
    const started = Date.now();
    const result = await bringUp({
      stack,
      signal,
      adopt: args.flag("adopt"),
      uncheckedDirectory: args.flag("unchecked-directory"),
      images: args.optionalText("images"),
    });
    console.log(upSummary(stack, result, (Date.now() - started) / 1000));
  },
};

/** `3.2 s`, `1 min 04 s`. */
function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${String(whole % 60).padStart(2, "0")} s`;
}

function timeTable(times: readonly PhaseTime[], totalSeconds: number): string[] {
  const rows = [
    ...times.map(({ title, seconds }) => [title, formatSeconds(seconds)] as const),
    ["in all", formatSeconds(totalSeconds)] as const,
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  return rows.map(([title, time]) => `  ${title.padEnd(width)}  ${time.padStart(12)}`);
}

function shown(path: string): string {
  const local = relative(projectFolder, path);
  return /^[\w./-]+$/.test(local) ? local : shellQuote(path);
}

export function upSummary(
  stack: string,
  { access, times, changes, warnings, replacement, metrics, newPassword, isNew }: UpResult,
  totalSeconds: number,
): string {
  const changed = Object.entries(changes).some(([name, count]) => name !== "same" && count > 0);
  const more = stackOption(stack);
  return [
    "",
    changed ? `The stack ${stack} is up.` : `The stack ${stack} is up; nothing changed.`,
    "",
    `  API       ${access.url}/api/graphql`,
    ...(access.consoleUrl ? [`  Console   ${access.consoleUrl}`] : []),
    ...(metrics === undefined ? [] : [`  Metrics   ${metrics.startsWith("http:") ? metrics : shown(metrics)}`]),
    `  Secrets   ${shown(stackPaths(stack).accessFile)} (source it in a shell)`,
    ...(newPassword
      ? [`  Login     ${access.adminEmail} with the generated password ${access.adminPassword} (stored in access.env)`]
      : []),
    ...(replacement === undefined
      ? []
      : [
          "",
          `The stack ${replacement}.`,
          `To change that: npm run down -- --volumes${more} (deletes the data), then npm run up${stackArgument(stack)}.`,
        ]),
    ...warnings.map((warning) => `\nWarning: ${warning}`),
    "",
    "Time by phase:",
    ...timeTable(times, totalSeconds),
    ...(isNew
      ? [
          "",
          "Load generated updates, then query them:",
          "",
          `npm run load -- --demo 10000${more}`,
          `npm run query --${more} '{ view_bgpupdates(limit: 3, order_by: {timestamp: desc}) { timestamp prefix type as_path } }'`,
        ]
      : []),
  ].join("\n");
}
