import type { FigureTable } from "../harness/figures/figures.ts";
import type { SuiteFigures } from "./figures.ts";
import { type SuiteResult, totals } from "./results.ts";

export interface RunFacts {
  /** Wall-clock time of the whole run; less than the sum of its suites if they ran concurrently. */
  readonly seconds: number;
  /** Figures of the suites. */
  readonly figures: readonly SuiteFigures[];
}

/** The end of a run: failed tests, skipped tests, figures, the slowest tests, the table of suites, and the totals as the last line. */
export function summary(results: readonly SuiteResult[], { seconds, figures }: RunFacts): string {
  return [
    ...failures(results),
    ...skipped(results),
    ...counted(figures),
    ...slowest(results),
    ...table(results, seconds),
    "",
    closingLine(results),
  ].join("\n");
}

function counted(all: readonly SuiteFigures[]): string[] {
  const isTable = (value: number | string | FigureTable): value is FigureTable => typeof value === "object";
  const lines = all.flatMap(({ suite, figures }) => {
    const single = Object.entries(figures).flatMap(([what, value]) => (isTable(value) ? [] : [`${value} ${what}`]));
    const tables = Object.values(figures)
      .filter(isTable)
      .flatMap((rows) => aligned(rows.map((cells) => cells.map(String))));
    return [`  ${suite}: ${single.join(", ")}`, ...tables.map((line) => `    ${line}`)];
  });
  return lines.length === 0 ? [] : ["figures:", ...lines, ""];
}

/** `N passed, N failed, N skipped`: the line for machines. */
export function closingLine(results: readonly SuiteResult[]): string {
  const { passed, failed, skipped } = totals(results);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

const indented = (...texts: readonly (string | undefined)[]): string[] =>
  texts.filter((text) => text !== undefined).map((text) => `    ${text.replaceAll("\n", "\n    ")}`);

/** Each failed test with its cause, its place and the command to rerun it; at the end of each suite the places of further information. */
function failures(results: readonly SuiteResult[]): string[] {
  const lines = results.flatMap(({ suite, tests, logs, output }) => [
    ...tests
      .filter(({ state }) => state === "failed")
      .flatMap(({ title, reason, place }) => [
        `  ${suite}: ${title}`,
        ...indented(reason, place, `again: ${commandOf(suite, title)}`),
      ]),
    ...(output === undefined ? [] : [`  complete output of ${suite}: ${output}`]),
    ...(logs === undefined ? [] : [`  container logs of ${suite}: ${logs}`]),
  ]);
  return lines.length === 0 ? [] : ["failed:", ...lines, ""];
}

/** The last title of `file > describe > test` is the filter; a setup, a command and a whole suite have no filter. */
export function commandOf(suite: string, title: string): string {
  const [, ...names] = title.split(" > ");
  const name = names.at(-1);
  if (name === undefined || title.endsWith(" (setup)")) return `npm test -- ${suite}`;
  return `npm test -- ${suite} --filter '${name.replaceAll("'", String.raw`'\''`)}'`;
}

/** Tests that a suite skips for the same reason become one line, so that the list stays short. */
function skipped(results: readonly SuiteResult[]): string[] {
  const lines = results.flatMap(({ suite, tests }) => {
    const byReason = Map.groupBy(
      tests.filter(({ state }) => state === "skipped"),
      ({ reason }) => reason ?? "no reason given",
    );
    return [...byReason].flatMap(([reason, [first, ...more]]) => [
      `  ${suite}: ${first!.title}${more.length === 0 ? "" : ` and ${more.length} more`}`,
      ...indented(reason),
    ]);
  });
  return lines.length === 0 ? [] : ["skipped:", ...lines, ""];
}

const slowSeconds = 10;
const slowestShown = 10;

/** The longest tests over ten seconds. */
function slowest(results: readonly SuiteResult[]): string[] {
  const slow = results
    .flatMap(({ suite, tests }) => tests.map(({ title, seconds = 0 }) => ({ suite, title, seconds })))
    .filter(({ seconds }) => seconds > slowSeconds)
    .toSorted((one, other) => other.seconds - one.seconds)
    .slice(0, slowestShown);
  return slow.length === 0
    ? []
    : ["slowest:", ...slow.map(({ suite, title, seconds }) => `  ${seconds.toFixed(1)} s ${suite}: ${title}`), ""];
}

function table(results: readonly SuiteResult[], seconds: number): string[] {
  const rows = [
    ["suite", "passed", "failed", "skipped", "seconds"],
    ...results.map((result) => row(result.suite, [result], result.seconds)),
    row("all", results, seconds),
  ];
  return aligned(rows);
}

/** Lines of a table: texts to the left, numbers to the right. */
function aligned(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] as string[]).map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] as string).length)),
  );
  const isText = widths.map((_, column) => rows.slice(1).some((cells) => Number.isNaN(Number(cells[column]))));
  return rows.map((cells) =>
    cells
      .map((cell, column) =>
        isText[column] === true ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number),
      )
      .join("  "),
  );
}

function row(name: string, results: readonly SuiteResult[], seconds: number): string[] {
  const { passed, failed, skipped } = totals(results);
  return [name, String(passed), String(failed), String(skipped), seconds.toFixed(1)];
}
