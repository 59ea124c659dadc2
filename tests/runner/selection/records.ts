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

/** Start of the reason of a skipped test that a complete run leaves out (tests/harness/run/left-out.ts). */
const leftOut = "left out: ";

/** Why a suite did not pass completely: one test that is skipped for want of root, Docker, data or a program is enough. */
export function incompleteness({ tests }: SuiteResult): string | undefined {
  if (tests.some(({ state }) => state === "failed")) return "it failed";
  const wanting = tests.find(({ state, reason }) => state === "skipped" && reason?.startsWith(leftOut) !== true);
  if (wanting !== undefined) return `it skipped ${wanting.title}: ${wanting.reason ?? "no reason given"}`;
  return tests.some(({ state }) => state === "passed") ? undefined : "no test ran";
}

/** The result of one suite that can have a record, and the reason why it gets none. */
export interface Verdict {
  readonly result: SuiteResult;
  readonly reason: string | undefined;
}

/** Decides which suites of a run get a record. A suite that left out files needs the success of the suite that ran them. */
export function verdicts(selected: readonly Suite[], results: readonly SuiteResult[]): readonly Verdict[] {
  const resultOf = (name: string) => results.find(({ suite }) => suite === name);
  return selected.filter(hasRecord).flatMap(({ name, without }) => {
    const result = resultOf(name);
    if (result === undefined) return [];
    const other = without === undefined ? undefined : resultOf(without.suite);
    const isHalf = without !== undefined && (other === undefined || incompleteness(other) !== undefined);
    const half = isHalf ? `${without.suite}, which ran some of its files, did not pass completely` : undefined;
    return [{ result, reason: incompleteness(result) ?? half }];
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
