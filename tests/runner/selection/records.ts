import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SuiteResult } from "../results.ts";
import type { Suite } from "../suites.ts";
import type { Objects } from "./tree.ts";

/** Below the repository. One file for each suite, written by a run that passed and committed with the change. */
export const recordsFolder = "tests/records";

/** The last success of one suite. */
export interface SuiteRecord {
  /** End of the run, in ISO 8601. */
  readonly date: string;
  readonly passed: number;
  readonly seconds: number;
  /** The inputs with which it passed. */
  readonly inputs: Objects;
}

const fileOf = (repository: string, suite: string): string => join(repository, recordsFolder, `${suite}.json`);

/** The record of a suite; undefined without one, and for a file that is not a record, such as one with a merge conflict. */
export function readRecord(repository: string, suite: string): SuiteRecord | undefined {
  try {
    const { date, passed, seconds, inputs } = JSON.parse(
      readFileSync(fileOf(repository, suite), "utf8"),
    ) as Partial<SuiteRecord>;
    if (typeof inputs !== "object" || date === undefined || Number.isNaN(Date.parse(date))) return undefined;
    return { date, passed: passed ?? 0, seconds: seconds ?? 0, inputs };
  } catch {
    return undefined;
  }
}

/** Whether a record decides on a suite: not for those of `npm test`, which always run, and not for a search of the run itself. */
export const hasRecord = ({ tier, searchesRun }: Suite): boolean => tier !== "test" && searchesRun !== true;

/** Start of the reason of a skipped test that a complete run leaves out (tests/harness/left-out.ts). */
const leftOut = "left out: ";

/** Whether a suite passed completely. One test that is skipped for want of root, Docker, data or a program is enough for a no. */
function isComplete({ tests }: SuiteResult): boolean {
  const passes = tests.filter(({ state }) => state === "passed").length;
  return (
    passes > 0 &&
    tests.every(
      ({ state, reason }) => state === "passed" || (state === "skipped" && reason?.startsWith(leftOut) === true),
    )
  );
}

/** The suites of a run that passed completely. A suite that left out files needs the success of the suite that ran them. */
export function completeSuites(selected: readonly Suite[], results: readonly SuiteResult[]): readonly SuiteResult[] {
  const complete = new Map(results.filter(isComplete).map((result) => [result.suite, result]));
  return selected.flatMap((suite) => {
    const result = complete.get(suite.name);
    const isWhole = suite.without === undefined || complete.has(suite.without.suite);
    return result !== undefined && isWhole && hasRecord(suite) ? [result] : [];
  });
}

/** Writes the record of one success. @returns its path below the repository */
export function writeRecord(
  repository: string,
  { suite, tests, seconds }: SuiteResult,
  inputs: Objects,
  now: Date,
): string {
  const record: SuiteRecord = {
    date: now.toISOString(),
    passed: tests.filter(({ state }) => state === "passed").length,
    seconds: Math.round(seconds),
    inputs,
  };
  mkdirSync(join(repository, recordsFolder), { recursive: true });
  writeFileSync(fileOf(repository, suite), `${JSON.stringify(record, undefined, 2)}\n`);
  return `${recordsFolder}/${suite}.json`;
}
