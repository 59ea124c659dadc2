import { resolve } from "node:path";
import { kinds } from "@routeql/cli/configuration/rotation";
import { readDrills } from "../harness/figures/drills.ts";
import { folded } from "./figures.ts";

/** Measured drills in the repository. `.ci/run --everything --record` adds those of its run. */
export const recordedDrills: string = resolve(import.meta.dirname, "drill-figures.json");

const targets = ["Docker", "Kubernetes"] as const;
const suite = (name: string): string => `\`npm test -- ${name}\``;

/** Every drill that the page names, with the command that prints its figure. */
const rows: readonly (readonly [name: string, meaning: string, command: string])[] = [
  [
    "lost with the disk",
    "changes lost with the host's disk, just before the next copy",
    '`ROUTEQL_LOSE_DISK=true npm test -- database --filter "with the disk"`',
  ],
  ...[1, 10, 50].map(
    (millions) =>
      [
        `restore ${millions} million rows`,
        `restore of ${millions} million updates from the archive, on Kubernetes from a backup`,
        millions === 1
          ? '`ROUTEQL_RESTORE_MILLIONS=1 npm test -- database --filter "restores updates"`, `kubernetes`'
          : `the same, \`=${millions}\``,
      ] as const,
  ),
  ["update with a migration", "`npm run up` with a new migration, under load", suite("pulumi")],
  ["failed migration", "`npm run up` with a migration that fails, under load", suite("pulumi")],
  ["upgrade from the oldest version", "an update from the oldest tested version", suite("pulumi")],
  ["roll back from the archive", "return to the moment before an update", suite("pulumi")],
  ["roll back from a dump", "the same without an archive", suite("pulumi")],
  ...[...Object.keys(kinds), "all"].map(
    (kind) =>
      [`rotate ${kind}`, `\`npm run rotate -- ${kind}\`, under load`, `${suite("pulumi")}, \`kubernetes\``] as const,
  ),
  ...["gateway", "engine", "auth-sidecar"].map(
    (service) => [`restart ${service}`, `rolling restart of ${service}, under load`, suite("kubernetes")] as const,
  ),
  ["year", "a year: 11 upgrades, 12 rotations, 5 crashes", "`npm run test:year`"],
  ["year's sizes", "its sizes at the end of each month, MiB", "`npm run test:year`"],
];

const short = (figure: string): string => figure.replace(/(\d+) of (\d+) requests failed/, "$1/$2");

/** docs/reference/drills.md */
export function drillsDocument(): string {
  const drills = readDrills(recordedDrills);
  const walked = Object.entries(drills["Docker"] ?? {}).filter(([name]) => name.includes(".md: "));
  const byPage = Map.groupBy(walked, ([name]) => name.slice(0, name.indexOf(": ")));
  const figure = (target: (typeof targets)[number], name: string): string => {
    return short(drills[target]?.[name]?.figure ?? "–");
  };
  const dates = targets.flatMap((target) => Object.values(drills[target] ?? {}).map(({ on }) => on)).toSorted();
  return [
    "# Drills",
    "",
    "<!-- Generated from tests/documents/drill-figures.json by `npm run documents`; do not edit. -->",
    "",
    `The last measured run of each drill, between ${dates[0]} and ${dates.at(-1)}, on 2 cores and 24 GiB under other load. \`0/9\`: of 9 requests none failed. A dash: not measured.`,
    "",
    "| drill | Docker | Kubernetes | command |",
    "|---|---|---|---|",
    ...rows.map(([name, meaning, command], index) => {
      const shown = command === rows[index - 1]?.[2] ? "the same" : command;
      return `| ${meaning} | ${targets.map((target) => figure(target, name)).join(" | ")} | ${shown} |`;
    }),
    "",
    "## The commands of the operator's pages",
    "",
    `${suite("operate")} executes them while a client sends a login and a query every 200 ms over new connections.`,
    "",
    ...[...byPage].flatMap(([page, commands]) => {
      return folded(
        `- ${page}: ${commands.map(([name, { figure }]) => `${name.slice(page.length + 2)} ${short(figure)}`).join("; ")}`,
      );
    }),
    "",
  ].join("\n");
}
