/** `npm test`, `npm run test:all` and `.ci/run`. Prints progress, one table at the end, and as its last line `N passed, N failed, N skipped`. */
import { parseArgs } from "node:util";
import { repository } from "../harness/repository.ts";
import { measureRun, readFigures, recordCounts, recordDuration, recordFigures } from "./figures.ts";
import { help } from "./help.ts";
import { totals } from "./results.ts";
import { runAll } from "./run-all.ts";
import { choose, inLines } from "./selection/choose.ts";
import { type InputsOf, keepRecords, readInputs } from "./selection/keep-records.ts";
import { readRecord } from "./selection/records.ts";
import { namedSuites, oneRun, type Suite, suitesOf } from "./suites.ts";
import { summary } from "./summary.ts";

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      filter: { type: "string" },
      lanes: { type: "string", default: "2" },
      strict: { type: "boolean", default: false },
      changed: { type: "boolean", default: false },
      everything: { type: "boolean", default: false },
      plan: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help());
    return 0;
  }
  const lanes = Number(values.lanes);
  if (!Number.isInteger(lanes) || lanes < 1) throw new Error(`--lanes ${values.lanes}: a whole number from 1 on`);
  const inputs = values.changed || values.record ? readInputs(console.log) : () => undefined;
  const selected = oneRun(select(positionals, { ...values, lanes }, inputs));
  if (values.plan) {
    if (!values.changed) console.log(selected.map(({ name, what }) => `  ${name.padEnd(16)}${what}`).join("\n"));
    return 0;
  }
  const started = Date.now();
  const measured = measureRun();
  const { filter } = values;
  const results = await runAll(selected, { filter, lanes, strict: values.strict || positionals.length > 0 });
  const conditions = measured();
  const isWhole = filter === undefined;
  if (values.record && isWhole) keepRecords(selected, results, inputs, console.log);
  const figures = await readFigures(started);
  if (values.record && isWhole && !values.changed && positionals.length === 0)
    recordDuration(values.everything ? "everything" : "tests", results, conditions);
  if (values.record && isWhole && values.everything) await recordFigures(results, figures, conditions);
  if (values.record && isWhole && positionals.length > 0) recordCounts(results, figures, conditions.load);
  console.log(`\n${summary(results, { seconds: conditions.seconds, figures })}`);
  return totals(results).failed > 0 ? 1 : 0;
}

interface Selection {
  readonly changed: boolean;
  readonly everything: boolean;
  readonly lanes: number;
}

function select(
  names: readonly string[],
  { changed, everything, lanes }: Selection,
  inputsOf: InputsOf,
): readonly Suite[] {
  if ([names.length > 0, changed, everything].filter(Boolean).length > 1)
    throw new Error("Give names of suites, --changed or --everything, not several of them.");
  if (names.length > 0) return namedSuites(names);
  if (!changed) return suitesOf(everything ? "test:all" : "test");
  const recordOf = (suite: string) => readRecord(repository, suite);
  const choices = choose(suitesOf("test:all"), { inputsOf, recordOf, now: new Date() });
  console.log(`suites by their inputs:\n${inLines(choices, lanes)}\n`);
  return choices.filter(({ runs }) => runs).map(({ suite }) => suite);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
