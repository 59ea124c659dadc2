/** `npm test`, `npm run test:all` and `.ci/run`. Prints progress, one table at the end, and as its last line `N passed, N failed, N skipped`. */
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { repository } from "../harness/repository.ts";
import { readFigures, recordFigures } from "./figures.ts";
import { totals } from "./results.ts";
import { runAll } from "./run-all.ts";
import { choose, inLines } from "./selection/choose.ts";
import { type InputsOf, keepRecords, readInputs } from "./selection/keep-records.ts";
import { readRecord } from "./selection/records.ts";
import { namedSuites, oneRun, type Suite, suites, suitesOf, type Tier } from "./suites.ts";
import { summary } from "./summary.ts";

const listed = (tier?: Tier): string =>
  suites
    .filter((suite) => suite.tier === tier)
    .map((suite) => `  ${suite.name.padEnd(16)}${suite.what}`)
    .join("\n");

const help = `npm test [-- SUITE…] [-- --filter TEXT] [-- --lanes N] [-- --strict]

Runs the named suites, or these:
${listed("test")}
\`npm run test:all\` also runs these:
${listed("test:all")}
Only by name:
${listed()}

  --changed       the suites of \`npm test\`, and each other suite with changed inputs or a record older than ten days
  --everything    all suites, as \`npm run test:all\`
  --plan          prints the suites of a run, with the reason for each, and runs none
  --record        writes tests/records for each suite that passes; after --everything also the figures of docs/reference/figures.md
  --filter TEXT   only tests whose title contains TEXT
  --lanes N       number of suites that run side by side (2); some always run alone
  --strict        a suite that this machine cannot run fails; without --strict it is skipped, unless you named it
  --help          this text

With ROUTEQL_ACCESS_FILE=PATH (a running stack's access.env), the e2e suite tests that stack instead of its own.
The output and container logs of a failed suite are kept below .routeql/test-logs; the summary names the folder.`;

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
    console.log(help);
    return 0;
  }
  const lanes = Number(values.lanes);
  if (!Number.isInteger(lanes) || lanes < 1) throw new Error(`--lanes ${values.lanes}: a whole number from 1 on`);
  const inputs = values.changed || values.record ? readInputs(console.log) : () => undefined;
  const selected = oneRun(select(positionals, values, inputs));
  if (values.plan) {
    if (!values.changed) console.log(selected.map(({ name, what }) => `  ${name.padEnd(16)}${what}`).join("\n"));
    return 0;
  }
  const started = Date.now();
  const before = processorTime();
  const [load = 0] = loadavg();
  const { filter } = values;
  const results = await runAll(selected, { filter, lanes, strict: values.strict || positionals.length > 0 });
  const seconds = (Date.now() - started) / 1000;
  const after = processorTime();
  const busy = (after.worked - before.worked) / (after.all - before.all);
  const isWhole = filter === undefined;
  if (values.record && isWhole) keepRecords(selected, results, inputs, console.log);
  const figures = await readFigures(started);
  if (values.record && isWhole && values.everything)
    await recordFigures(results, figures, { seconds, lanes, load, busy });
  console.log(`\n${summary(results, { seconds, figures })}`);
  return totals(results).failed > 0 ? 1 : 0;
}

/** Milliseconds of all processors since the machine's start. */
function processorTime(): { readonly worked: number; readonly all: number } {
  const all = cpus().flatMap(({ times }) => Object.values(times));
  const idle = cpus().map(({ times }) => times.idle);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { worked: sum(all) - sum(idle), all: sum(all) };
}

interface Selection {
  readonly changed: boolean;
  readonly everything: boolean;
}

function select(names: readonly string[], { changed, everything }: Selection, inputsOf: InputsOf): readonly Suite[] {
  if ([names.length > 0, changed, everything].filter(Boolean).length > 1)
    throw new Error("Give names of suites, --changed or --everything, not several of them.");
  if (names.length > 0) return namedSuites(names);
  if (!changed) return suitesOf(everything ? "test:all" : "test");
  const recordOf = (suite: string) => readRecord(repository, suite);
  const choices = choose(suitesOf("test:all"), { inputsOf, recordOf, now: new Date() });
  console.log(`suites by their inputs:\n${inLines(choices)}\n`);
  return choices.filter(({ runs }) => runs).map(({ suite }) => suite);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
