/**
 * `npm test`: every suite that needs no more than this machine, or the ones named.
 * Prints progress while it works, one table at the end and as its last line `N passed, N failed, N skipped`.
 * @module
 */
import { parseArgs } from "node:util";
import { readFigures } from "./figures.ts";
import { totals } from "./results.ts";
import { runAll } from "./run-all.ts";
import { exists, selectSuites, suites } from "./suites.ts";
import { summary } from "./summary.ts";

const help = `npm test [-- SUITE…] [-- --filter TEXT] [-- --lanes N] [-- --strict]

Runs the suites named, or all of them:
${suites.map((suite) => `  ${suite.name.padEnd(14)}${suite.what}${exists(suite) ? "" : " (none yet)"}`).join("\n")}

  --filter TEXT   only tests whose title contains TEXT
  --lanes N       how many suites run side by side (2); some always run alone
  --strict        a suite that this machine cannot run fails; without it such a suite is skipped, unless it was named
  --help          this text

ROUTEQL_ACCESS_FILE=PATH lets the e2e suite use a stack that runs already (its access.env) instead of one of its own.
Logs of the containers of a failed suite, and what it printed, are kept below .routeql/test-logs and named at the end.`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { filter: { type: "string" }, lanes: { type: "string", default: "2" }, strict: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  const lanes = Number(values.lanes);
  if (!Number.isInteger(lanes) || lanes < 1) throw new Error(`--lanes ${values.lanes}: a whole number from 1 on`);
  const started = Date.now();
  const results = await runAll(selectSuites(positionals), { filter: values.filter, lanes, strict: values.strict || positionals.length > 0 });
  console.log(`\n${summary(results, { seconds: (Date.now() - started) / 1000, figures: await readFigures(started) })}`);
  return totals(results).failed > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed, 0 skipped");
  process.exitCode = 1;
}
