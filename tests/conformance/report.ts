import type { Result } from "./run.ts";

/** Number of results by outcome. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export function count(results: readonly Result[]): Counts {
  const of = (kind: Result["outcome"]["kind"]) => results.filter(({ outcome }) => outcome.kind === kind).length;
  return { passed: of("passed"), failed: of("failed"), skipped: of("skipped") };
}

export function closingLine({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

const title = ({ folder, name, transport }: Result) => `${folder}/${name} (${transport})`;

/** Text that is printed at once for a result; empty for a passed one. */
export function describe(result: Result): string | undefined {
  const { outcome } = result;
  if (outcome.kind !== "failed") return undefined;
  const query =
    typeof outcome.query === "object" && outcome.query !== null && "query" in outcome.query
      ? String(outcome.query.query)
      : JSON.stringify(outcome.query);
  const indented = (query ?? "").trim().replaceAll("\n", "\n      ");
  return `FAILED ${title(result)}, step ${outcome.step}${outcome.description === undefined ? "" : `: ${outcome.description}`}\n      ${outcome.difference}\n      ${indented}`;
}

/** A report by folder, as Markdown. */
export function reportByFolder(results: readonly Result[]): string {
  const folders = [...new Set(results.map(({ folder }) => folder))];
  const rows = folders.map((folder) => {
    const { passed, failed, skipped } = count(results.filter((result) => result.folder === folder));
    return `| ${folder} | ${passed} | ${failed} | ${skipped} |`;
  });
  const failures = results.flatMap((result) => describe(result) ?? []);
  const skips = results.flatMap((result) =>
    result.outcome.kind === "skipped" ? [`- ${title(result)}: ${result.outcome.reason}`] : [],
  );
  const notes = results.flatMap((result) =>
    result.outcome.kind === "passed" && result.outcome.notes.length > 0
      ? [`- ${title(result)}: ${result.outcome.notes.join("; ")}`]
      : [],
  );
  return [
    "# Conformance with Hasura's read cases",
    "",
    "One row per folder; each case counts once over HTTP and once over WebSocket.",
    "",
    "| folder | passed | failed | skipped |",
    "|---|---|---|---|",
    ...rows,
    "",
    ...(failures.length === 0 ? [] : ["## Failed", "", ...failures.map((text) => `\`\`\`\n${text}\n\`\`\``), ""]),
    ...(skips.length === 0 ? [] : ["## Skipped, and why", "", ...skips, ""]),
    ...(notes.length === 0 ? [] : ["## Passed with a remark", "", ...notes, ""]),
    closingLine(count(results)),
    "",
  ].join("\n");
}
