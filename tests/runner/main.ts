/** `npm test` and `npm run test:all`. Prints progress, one table at the end, and as its last line `N passed, N failed, N skipped`. */
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { readFigures } from "./figures.ts";
import { durations, record } from "./record.ts";
import { totals } from "./results.ts";
import { runAll } from "./run-all.ts";
import { namedSuites, type Suite, suites, suitesOf, type Tier } from "./suites.ts";
import { summary } from "./summary.ts";

const listed = (tier?: Tier): string =>
  suites
    .filter((suite) => suite.tier === tier)
    .map((suite) => `  ${suite.name.padEnd(16)}${suite.what}`)
    .join("\n");

const help = `npm test [-- SUITE…] [-- --filter TEXT] [-- --lanes N] [-- --strict]

Runs the named suites, or these:
${listed("test")}
\`npm run test:all\` runs the others:
${listed("test:all")}
Only by name:
${listed()}

  --rest          the suites of \`npm run test:all\`
  --everything    the suites of \`npm test\`, then those of \`npm run test:all\`
  --record        stores the durations for docs/reference/figures.md
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
      rest: { type: "boolean", default: false },
      everything: { type: "boolean", default: false },
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
  const started = Date.now();
  const before = processorTime();
  const [load = 0] = loadavg();
  const results = await runAll(positionals.length > 0 ? namedSuites(positionals) : selectedBy(values), {
    filter: values.filter,
    lanes,
    strict: values.strict || positionals.length > 0,
  });
  const seconds = (Date.now() - started) / 1000;
  const after = processorTime();
  const busy = (after.worked - before.worked) / (after.all - before.all);
  if (values.record) await record(durations(results, { seconds, lanes, load, busy }));
  console.log(`\n${summary(results, { seconds, figures: await readFigures(started) })}`);
  return totals(results).failed > 0 ? 1 : 0;
}

/** Milliseconds of all processors since the machine's start. */
function processorTime(): { readonly worked: number; readonly all: number } {
  const all = cpus().flatMap(({ times }) => Object.values(times));
  const idle = cpus().map(({ times }) => times.idle);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { worked: sum(all) - sum(idle), all: sum(all) };
}

function selectedBy({ rest, everything }: { rest: boolean; everything: boolean }): readonly Suite[] {
  const tiers: readonly Tier[] = everything ? ["test", "test:all"] : [rest ? "test:all" : "test"];
  return tiers.flatMap(suitesOf);
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
