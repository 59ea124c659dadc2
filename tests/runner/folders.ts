/**
 * Files of a run below `.routeql/test-logs/<run>`: the logs of each suite's containers, each suite's output, and evidence for the
 * search for secrets. Logs and output of failed suites are kept; evidence contains secrets and is always deleted.
 */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { SuiteResult } from "./results.ts";
import { repository } from "../harness/repository.ts";

const runFolder = (run: string): string => join(repository, ".routeql/test-logs", run);

/** Logs of the containers of one suite. */
export const logsFolder = (run: string, suite: string): string => join(runFolder(run), suite);

/** Output of one suite, if several ran at the same time. */
export const outputFile = (run: string, suite: string): string => join(runFolder(run), "output", `${suite}.txt`);

/** Secrets, inspections and states that the suites keep for the suite `secrets`. */
export const evidenceFolder = (run: string): string => join(runFolder(run), "evidence");

/** The identifier in the labels of one suite's objects. */
export const runOfSuite = (run: string, suite: string): string => `${run}-${suite}`;

/** Prefix of the names of one suite's temporary folders. */
export const scratchPrefix = (run: string, suite: string): string => `routeql-test-${runOfSuite(run, suite)}-`;

/** Removes all files that the analysis of a failure does not need. */
export async function removeEvidence(run: string, results: readonly SuiteResult[]): Promise<void> {
  await rm(evidenceFolder(run), { recursive: true, force: true });
  for (const { suite, tests } of results) {
    if (tests.some(({ state }) => state === "failed")) continue;
    await rm(logsFolder(run, suite), { recursive: true, force: true });
    await rm(outputFile(run, suite), { force: true });
  }
  for (const folder of [join(runFolder(run), "output"), runFolder(run)]) {
    const left = await readdir(folder).catch(() => undefined);
    if (left?.length === 0) await rm(folder, { recursive: true });
  }
}
