/**
 * `npm test`: every suite that needs no more than this machine, or the ones named.
 * Prints progress while it works, one table at the end and as its last line `N passed, N failed, N skipped`.
 * @module
 */
import type { ChildProcess } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cleanUp } from "../tests/harness/clean-up.ts";
import { runId } from "../tests/harness/run.ts";
import { takeDownLeftStack } from "../tests/e2e/support/own-stack.ts";
import { prepare } from "./test/prepare.ts";
import { type SuiteResult, totals } from "./test/results.ts";
import { runSuite } from "./test/run-suite.ts";
import { exists, repository, selectSuites, type Suite, suites } from "./test/suites.ts";
import { summary } from "./test/summary.ts";

const help = `npm test [-- SUITE…] [-- --filter TEXT]

Runs the suites named, or all of them:
${suites.map((suite) => `  ${suite.name.padEnd(14)}${suite.what}${exists(suite) ? "" : " (none yet)"}`).join("\n")}

  --filter TEXT   only tests whose title contains TEXT
  --help          this text

ROUTEQL_ACCESS_FILE=PATH lets the e2e suite use a stack that runs already (its access.env) instead of one of its own.
Logs of the containers of a failed suite are kept below .routeql/test-logs and named at the end.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { filter: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const selected = selectSuites(positionals);
  const results = await runAll(selected, values.filter);
  console.log(`\n${summary(results)}`);
  return totals(results).failed > 0 ? 1 : 0;
}

async function runAll(selected: readonly Suite[], filter: string | undefined): Promise<SuiteResult[]> {
  const results: SuiteResult[] = [];
  let current: ChildProcess | undefined;
  let interrupted = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      // The suite at work takes down what it started; a terminal's Ctrl-C reaches it by itself, a plain kill does not.
      interrupted = true;
      current?.kill(signal);
    });
  }
  let prepared = false;
  try {
    for (const [index, suite] of selected.entries()) {
      if (interrupted) break;
      if (suite.needsDocker && !prepared) {
        await prepare();
        prepared = true;
      }
      console.log(`\n[${index + 1}/${selected.length}] ${suite.name}: ${suite.what}`);
      results.push(await runSuite(suite, { run: runId, filter, onStart: (child) => (current = child) }));
    }
  } finally {
    if (prepared) await cleanUp(runId);
    if (selected.some(({ name }) => name === "e2e")) await takeDownLeftStack();
    if (results.every(({ logs }) => logs === undefined)) {
      await rm(join(repository, ".routeql/test-logs", runId), { recursive: true, force: true });
    }
  }
  if (interrupted) {
    results.push({ suite: "interrupted", seconds: 0, tests: [{ title: "the run was interrupted", state: "failed" }] });
  }
  return results;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
