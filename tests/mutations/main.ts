/**
 * `npm run test:mutations`: applies deliberate faults to a copy of the tree, one at a time, and checks that the tests notice each.
 * Prints progress and a table. The last line is `N passed, N failed, N skipped`.
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { cleanUp } from "../harness/clean-up.ts";
import { keepFigures } from "../harness/figures.ts";
import { runId } from "../harness/run.ts";
import { CopyOfTree } from "./copy-of-tree.ts";
import { judge, type Judgement } from "./judge.ts";
import { mutations } from "./list.ts";
import { mutated, type Mutation } from "./mutation.ts";
import { runTests } from "./run-tests.ts";
import { prepare } from "../runner/prepare.ts";
import { repository } from "../runner/suites.ts";

const help = `npm run test:mutations [-- --only TEXT] [-- --unit]

Puts ${mutations.length} deliberate faults into a copy of the tree, one at a time, and runs the tests that must notice each fault. At least one
of them must fail by an assertion. Without the fault all of them must pass. Some faults need Docker.

  --only TEXT   only faults with TEXT in their description or file name
  --unit        only faults that tests without containers find
  --help        this text`;

interface Row extends Judgement {
  readonly mutation: Mutation;
  readonly seconds: number;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: "string" },
      unit: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const { only = "" } = values;
  const selected = mutations.filter(
    ({ fault, file, suite }) => (fault.includes(only) || file.includes(only)) && (suite === "unit" || !values.unit),
  );
  if (selected.length === 0) throw new Error(`no mutation contains ${only}`);
  const obstacle = selected.some(({ suite }) => suite !== "unit") ? await prepare() : undefined;
  if (obstacle !== undefined) throw new Error(obstacle.reason);
  await using copy = await CopyOfTree.make(repository);
  const broken = await baseline(copy, selected);
  const rows = broken.length > 0 ? [] : await apply(copy, selected);
  const counts = {
    passed: rows.filter(({ kind }) => kind === "noticed").length,
    failed: rows.filter(({ kind }) => kind !== "noticed").length + broken.length,
  };
  console.log(`\n${table(rows)}`);
  for (const line of broken) console.log(line);
  if (broken.length === 0 && only === "")
    keepFigures("mutations", { "deliberate faults": rows.length, noticed: counts.passed, survived: counts.failed });
  console.log(`\n${counts.passed} passed, ${counts.failed} failed, 0 skipped`);
  return counts.failed > 0 ? 1 : 0;
}

/** Runs every named test once without a fault; returns the failures. */
async function baseline(copy: CopyOfTree, selected: readonly Mutation[]): Promise<string[]> {
  const problems: string[] = [];
  for (const suite of new Set(selected.map((mutation) => mutation.suite))) {
    const files = [...new Set(selected.filter((mutation) => mutation.suite === suite).flatMap(({ tests }) => tests))];
    console.log(`without a fault: ${suite}, ${files.length} files`);
    const { failed, broken, ran } = await runTests(copy.folder, suite, files);
    problems.push(
      ...failed.map(({ title, message }) => `without a fault: ${title}: ${message.split("\n")[0]}`),
      ...broken.map((reason) => `without a fault: ${reason}`),
    );
    if (ran === 0) problems.push(`without a fault: no test of ${suite} ran`);
  }
  return problems;
}

async function apply(copy: CopyOfTree, selected: readonly Mutation[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [index, mutation] of selected.entries()) {
    const started = performance.now();
    const path = join(copy.folder, mutation.file);
    const right = await readFile(path, "utf8");
    await writeFile(path, mutated(mutation, right));
    try {
      const judgement = judge(mutation, await runTests(copy.folder, mutation.suite, mutation.tests));
      const seconds = (performance.now() - started) / 1000;
      rows.push({ ...judgement, mutation, seconds });
      console.log(
        `[${index + 1}/${selected.length}] ${judgement.kind.padEnd(8)} ${seconds.toFixed(1).padStart(5)} s  ${mutation.fault}`,
      );
      if (judgement.kind !== "noticed") console.log(`    ${judgement.reason}`);
    } finally {
      await writeFile(path, right);
    }
  }
  return rows;
}

function table(rows: readonly Row[]): string {
  const width = Math.max(5, ...rows.map(({ mutation }) => mutation.fault.length));
  const lines = rows.map(
    ({ mutation, kind, reason }) => `${mutation.fault.padEnd(width)}  ${kind.padEnd(8)}  ${reason}`,
  );
  return [`${"fault".padEnd(width)}  result    by`, ...lines].join("\n");
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
} finally {
  await cleanUp(runId).catch(() => undefined);
}
