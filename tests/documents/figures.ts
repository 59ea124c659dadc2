/** docs/reference/figures.md, from the records of benchmarks and suites. */
import { type FigureRecord, readFigureRecord, type RecordedFigure } from "../harness/figures/figure-records.ts";
import { changesSince } from "./product-changes.ts";

interface Group {
  readonly title: string;
  /** File below tests/records/figures. */
  readonly record: string;
  /** What the figures mean. */
  readonly meaning?: string;
  /** Folders whose changes make the figures old. */
  readonly product: readonly string[];
}

const stack = ["infra", "nginx", "engine", "auth-sidecar", "database", "images"];
const groups: readonly Group[] = [
  {
    title: "Engine",
    record: "engine",
    meaning: "ratios are to node:http with node-postgres, median (least to most)",
    product: ["engine"],
  },
  {
    title: "Price of each promise",
    record: "engine-price",
    meaning: "processor time of the engine for one request of 10 rows, by its folders, from a profile",
    product: ["engine"],
  },
  {
    title: "Beside Hasura",
    record: "beside-hasura",
    meaning:
      "Hasura 2.43 built from source with `-O1`; requests/s relative to bare Hasura. Both verify tokens: bare Hasura verifies a signature for each request, the engine caches verified tokens",
    product: ["engine"],
  },
  { title: "Auth sidecar", record: "auth-sidecar", meaning: "one core for each contender", product: ["auth-sidecar"] },
  {
    title: "Whole stack",
    record: "stack",
    meaning: "through the gateway over TLS; requests/s as a ratio to the engine asked directly",
    product: stack,
  },
  {
    title: "Live data",
    record: "feed",
    meaning: "the feed and Postgres share the machine; a reader asks the view each 50 ms",
    product: ["routing", "database"],
  },
  { title: "End to end", record: "end-to-end", meaning: "one client through the gateway over TLS", product: stack },
  { title: "First use", record: "first-use", product: stack },
  { title: "Tests", record: "tests", product: ["tests"] },
];

/** Changes of a product after which its figures are old. */
const mostChanges = 300;

const isOld = ({ date }: RecordedFigure, product: readonly string[]): boolean =>
  changesSince(date, product) > mostChanges;

/** Mark of old figures on the page. The check of documents ignores it: it comes with the commits of others. */
const oldMark = " **Old.**";
export const withoutOldMarks = (page: string): string => page.replaceAll(oldMark, "");

const headOf = ({ command, date, commit, machine, load }: RecordedFigure): string =>
  `\`${command}\`, ${date} (${commit}), ${machine}${load === undefined ? "" : `, load ${load}`}.`;

/** An entry of a list in lines of at most 120 characters, broken between words. */
export function folded(entry: string): string[] {
  const lines = [""];
  for (const word of entry.split(" ")) {
    const line = lines.at(-1)!;
    if (line === "") lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= 120) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(`  ${word}`);
  }
  return lines;
}

/** Figures of one measurement stand together, under its command. */
function blocks(record: FigureRecord, product: readonly string[]): string[] {
  const byHead = Map.groupBy(Object.entries(record), ([, figure]) => headOf(figure));
  return [...byHead].flatMap(([head, figures]) => [
    `${head}${isOld(figures[0]![1], product) ? oldMark : ""}`,
    "",
    ...figures.flatMap(([what, { figure, note }]) =>
      folded(`- ${what}: ${figure}${note === undefined || note === "" ? "" : ` (${note})`}`),
    ),
    "",
  ]);
}

const introduction = `# Figures

<!-- Generated from tests/records/figures by \`npm run documents\`; do not edit. -->

Measured under other load: \`load\` is the load average before. Compare ratios, not rates: [how the benchmarks measure](../../bench/README.md).
Old: the product has changed by more than ${mostChanges} commits since.
`;

/** docs/reference/figures.md, without groups of which nothing was measured. */
export function figuresDocument(): string {
  const sections = groups.flatMap(({ title, record, meaning, product }) => {
    const figures = readFigureRecord(record);
    if (Object.keys(figures).length === 0) return [];
    const about = meaning === undefined ? [] : [`${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}.`, ""];
    return [[`## ${title}`, "", ...about, ...blocks(figures, product)].join("\n")];
  });
  return [introduction, ...sections].join("\n");
}

/** Names of old figures, such as `Engine: 10 rows, requests/s (2026-05-04)`. */
export function oldFigures(): string[] {
  return groups.flatMap(({ title, record, product }) =>
    Object.entries(readFigureRecord(record))
      .filter(([, figure]) => isOld(figure, product))
      .map(([what, { date }]) => `${title}: ${what} (${date})`),
  );
}
