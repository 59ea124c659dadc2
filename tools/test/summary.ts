import { type SuiteResult, totals } from "./results.ts";

/** The end of a run: skipped and failed tests by name, the table of suites, and as the last line the plain count. */
export function summary(results: readonly SuiteResult[]): string {
  return [...listed(results, "skipped"), ...listed(results, "failed"), ...logFolders(results), ...table(results), "", closingLine(results)].join("\n");
}

/** `N passed, N failed, N skipped`: the one line that machines read. */
export function closingLine(results: readonly SuiteResult[]): string {
  const { passed, failed, skipped } = totals(results);
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function listed(results: readonly SuiteResult[], state: "skipped" | "failed"): string[] {
  const lines = results.flatMap(({ suite, tests }) =>
    tests
      .filter((test) => test.state === state)
      .map(({ title, reason }) => `  ${suite}: ${title}${reason === undefined ? "" : `\n    ${reason.replaceAll("\n", "\n    ")}`}`),
  );
  return lines.length === 0 ? [] : [`${state}:`, ...lines, ""];
}

function logFolders(results: readonly SuiteResult[]): string[] {
  const lines = results.flatMap(({ suite, logs }) => (logs === undefined ? [] : [`container logs of ${suite}: ${logs}`]));
  return lines.length === 0 ? [] : [...lines, ""];
}

function table(results: readonly SuiteResult[]): string[] {
  const rows = [
    ["suite", "passed", "failed", "skipped", "seconds"],
    ...results.map((result) => row(result.suite, [result], result.seconds)),
    row("all", results, results.reduce((sum, { seconds }) => sum + seconds, 0)),
  ];
  const widths = (rows[0] as string[]).map((_, column) => Math.max(...rows.map((cells) => (cells[column] as string).length)));
  return rows.map((cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] as number) : cell.padStart(widths[column] as number))).join("  "),
  );
}

function row(name: string, results: readonly SuiteResult[], seconds: number): string[] {
  const { passed, failed, skipped } = totals(results);
  return [name, String(passed), String(failed), String(skipped), seconds.toFixed(1)];
}
