import { readFileSync } from "node:fs";
import { resolve } from "node:path";

/** One measured figure of docs/reference/figures.md. */
export interface Figure {
  readonly what: string;
  readonly figure: string;
  /** The command or the conditions, if they differ from the group's. */
  readonly source?: string;
}

/** Figures of one kind, with their command. */
export interface FigureGroup {
  readonly title: string;
  readonly source: string;
  readonly figures: readonly Figure[];
}

const recorded = (file: string): FigureGroup[] =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, file), "utf8")) as FigureGroup[];

/** The only place of all measured figures. Change a figure here after a measurement, then run `npm run documents`. */
export const figureGroups: readonly FigureGroup[] = [
  {
    title: "Start",
    source: "`npm run up`, times of its phases",
    figures: [
      {
        what: "new machine, nothing installed but Node 20, npm and git",
        figure: "3 min 3 s",
        source: "Debian 12, no other load",
      },
      { what: "images and CLI present, no stack", figure: "20 s" },
      { what: "no change", figure: "5.7 s" },
      { what: "after the Docker engine was killed", figure: "26 s" },
    ],
  },
  {
    title: "Engine",
    source:
      "`npm run bench:engine`, one million updates; ratios to node:http with node-postgres, median (least to most)",
    figures: [
      {
        what: "10 rows, requests/s",
        figure: "1.39 (1.23 to 1.57) of the baseline",
        source: "p99 0.82 of the baseline; 132 MB",
      },
      {
        what: "1,000 rows, requests/s",
        figure: "1.51 (1.23 to 1.73) of the baseline",
        source: "`--quick`; p99 0.80; 148 MB",
      },
      { what: "nested rows, requests/s", figure: "1.08 (0.96 to 1.10) of the baseline", source: "p99 1.27; 124 MB" },
      { what: "aggregate, requests/s", figure: "1.19 (0.91 to 1.58) of the baseline", source: "p99 1.09; 132 MB" },
      { what: "ready with 50 tables", figure: "367 ms (364 to 385)" },
      {
        what: "change to client at p95, 5,000 subscribers",
        figure: "0.48 s (0.14 to 0.63), 145 MB",
        source: "100 variable sets, one core",
      },
      {
        what: "change to client at p95, 10,000 subscribers",
        figure: "0.57 s (0.16 to 1.0), 187 MB",
        source: "the same",
      },
      {
        what: "change to client at p95, 20,000 subscribers",
        figure: "0.74 s (0.37 to 1.2), 295 MB",
        source: "the same",
      },
    ],
  },
  {
    title: "Beside Hasura",
    source:
      "`npm run bench:engine -- --against hasura --quick`, 100,000 updates, Hasura 2.43 built from source with `-O1`; requests/s relative to bare Hasura",
    figures: [
      { what: "10 rows: embedded engine", figure: "8.44 (5.67 to 9.27)", source: "p99 0.16 of Hasura's" },
      { what: "10 rows: front", figure: "1.55 (1.53 to 1.78)", source: "bare proxy 0.82" },
      { what: "1,000 rows: embedded engine", figure: "1.46 (1.40 to 1.64)", source: "goal 1.6; p99 0.53" },
      { what: "1,000 rows: front", figure: "1.20 (0.94 to 1.32)", source: "bare proxy 0.94" },
      { what: "nested rows: embedded engine", figure: "7.57 (7.15 to 8.94)", source: "p99 0.14" },
      { what: "nested rows: front", figure: "1.37 (1.36 to 1.44)", source: "bare proxy 0.83" },
      { what: "aggregate: embedded engine", figure: "12.1 (10.3 to 15.0)", source: "p99 0.12" },
      { what: "update by key", figure: "4.25 (4.25 to 4.88)" },
      { what: "insert of 1 row", figure: "4.91 (4.73 to 5.47)" },
      { what: "insert of 100 rows", figure: "5.05 (4.83 to 5.45)" },
      { what: "insert of 1,000 rows", figure: "4.75 (3.93 to 4.92)" },
      { what: "upsert", figure: "5.33 (5.10 to 6.31)" },
      { what: "nested insert", figure: "4.09 (3.61 to 5.09)" },
      { what: "5,000 live queries, p95", figure: "0.61 s, Hasura 0.79 s", source: "processor 241, 530 ms" },
      { what: "ready", figure: "0.42 s, Hasura 1.04 s" },
      { what: "memory at rest", figure: "125 MB, Hasura 168 MB", source: "goal 45" },
    ],
  },
  {
    title: "Auth sidecar",
    source: "`npm run bench:auth`, one core for each contender",
    figures: [
      { what: "tokens", figure: "6,997/s; 0.34 (0.28 to 0.37) of empty answers", source: "target 0.5 not reached" },
      { what: "logins", figure: "77/s; 0.85 (0.84 to 0.87) of argon2id alone", source: "target 0.9 not reached" },
      { what: "logins at three times the load", figure: "66/s answered, 158/s rejected with 429 within 21 ms" },
      { what: "tokens at three times the load", figure: "6,469/s, all answered", source: "p99 0.8 s from sending" },
    ],
  },
  // Written by `npm run bench:stack -- --record`.
  ...recorded("stack-figures.json"),
  {
    title: "Data",
    source: "suites and commands on a running stack",
    figures: [
      { what: "`npm run load`, 577,792 rows of 2015", figure: "14.0 s, 41,000 rows/s" },
      { what: "newest 10 updates at 10 million", figure: "0.3 ms", source: "40 days, 100,000 hijacks" },
      { what: "updates by prefix, origin or peer", figure: "0.2 to 3 ms", source: "the same" },
    ],
  },
  {
    title: "Tests",
    source: "the named suites",
    figures: [
      {
        what: "Hasura's own cases, reads and mutations",
        figure: "475 passed, 0 failed, 27 skipped",
        source: "`npm run test:conformance`, HTTP and WebSocket",
      },
      {
        what: "unknown user against wrong password",
        figure: "Welch's t between -0.4 and 0.05",
        source: "500 logins each",
      },
      {
        what: "faults",
        figure: "40 faults, 7,930 requests, 0 wrong answers; longest recovery 17.4 s",
        source: "`npm run test:faults`",
      },
      {
        what: "permissions",
        figure: "18,911 checks in 3.4 s; 25 of 25 planted faults found",
        source: "`npm run test:permissions`",
      },
      {
        what: "`hasura-checks permissions --endpoint`, Hasura 2.43 with five public projects",
        figure: "47,471 checks, 2 differences",
        source: "it ignores `disabled_for_roles`",
      },
      {
        what: "secrets",
        figure: "443 secrets, 0 found in 443 files and 927 MiB of image layers",
        source: "`npm test`",
      },
      {
        what: "key rotation under load, ten minutes",
        figure: "58,318 tokens, 58,320 queries, 0 rejected in the end",
        source: "149 answered 503 and repeated",
      },
    ],
  },
  // Written by `.ci/run --everything --record`.
  ...recorded("suite-figures.json"),
];

const introduction = `# Figures

<!-- Generated from tests/documents/figures.ts by \`npm run documents\`; do not edit. -->

Measured speed, durations and test results: on 2 cores and 24 GiB, most under other load. Compare ratios, not rates: [how the benchmarks measure](../../bench/README.md).
`;

/** docs/reference/figures.md */
export function figuresDocument(): string {
  const groups = figureGroups.map(({ title, source, figures }) =>
    [
      `## ${title}`,
      "",
      `Measured by ${source}.`,
      "",
      ...figures.map((row) => `- ${row.what}: ${row.figure}${row.source === undefined ? "" : ` (${row.source})`}`),
      "",
    ].join("\n"),
  );
  return [introduction, ...groups].join("\n");
}
