/** `npm run test:artemis -- --source DIR`: ARTEMIS's own cases of detection, through a load that judges. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "pg";
import { startDatabase } from "../harness/containers/database-container.ts";
import { notCompared, readCases } from "./cases.ts";
import { compareLives } from "./lives.ts";
import { compareRandom } from "./random.ts";
import { runCase } from "./run.ts";

const help = `npm run test:artemis -- --source DIR [--utilities DIR] [--database URL]

Runs ARTEMIS's case files of detection and autoignore. Each message is one load; the updates and records are compared then. With
--utilities, compares the verdicts on 20,000 random announcements, and the records after each message of 1,000 random streams, half of them out of order, with those of
ARTEMIS's own detector and database worker, which need python3.

  --source DIR     a checkout of github.com/FORTH-ICS-INSPIRE/artemis
  --utilities DIR  the unpacked package artemis-utils of PyPI
  --database URL   an empty database with RouteQL's schema, as its owner; default: a new container
  --help           this text

Exit codes: 0 all cases passed; 1 a case failed; 2 wrong arguments.`;

const { values } = parseArgs({
  options: {
    source: { type: "string" },
    utilities: { type: "string" },
    database: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  const { source, database } = values;
  if (values.help || source === undefined) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  if (!existsSync(join(source, "testing/detection/testfiles"))) {
    console.error(`${source} has no folder testing/detection/testfiles. Give a checkout of ARTEMIS.`);
    return 2;
  }
  const random = values.utilities === undefined ? 0 : reportRandom(resolve(source), resolve(values.utilities));
  const cases = await runOn(resolve(source), database);
  return Math.max(random, cases);
}

function reportRandom(source: string, utilities: string): number {
  const { messages, types, differences } = compareRandom(source, utilities);
  for (const difference of differences.slice(0, 20)) console.log(difference);
  console.log(`${messages} random announcements, ${types} verdicts, ${differences.length} differences`);
  let found = differences.length;
  for (const isLate of [false, true]) {
    const lives = compareLives(source, utilities, isLate);
    for (const difference of lives.differences.slice(0, 20)) console.log(difference);
    const kind = isLate ? "streams out of order, until a record ends" : "random streams";
    console.log(
      `${lives.messages} messages of ${kind}, ${lives.records} records, ${lives.differences.length} differences`,
    );
    found += lives.differences.length;
  }
  return found > 0 ? 1 : 0;
}

async function runOn(source: string, database: string | undefined): Promise<number> {
  if (database !== undefined) return run(source, database, database);
  const started = await startDatabase();
  try {
    return await run(source, started.getConnectionUri("owner"), started.getConnectionUri("loader"));
  } finally {
    await started.stop();
  }
}

async function run(source: string, ownerUri: string, loaderUri: string): Promise<number> {
  const owner = new Client({ connectionString: ownerUri });
  const loader = new Client({ connectionString: loaderUri });
  await Promise.all([owner.connect(), loader.connect()]);
  try {
    const skipped = new Map<string, number>();
    let failed = 0;
    let expectations = 0;
    const cases = readCases(source);
    for (const file of cases) {
      const result = await runCase(owner, loader, file, skipped);
      expectations += result.expectations;
      if (result.failures.length > 0) failed += 1;
      console.log(
        `${result.failures.length === 0 ? "ok  " : "FAIL"} ${result.name}: ${result.expectations} expectations`,
      );
      for (const failure of result.failures) console.log(`       ${failure}`);
    }
    console.log("not compared:");
    for (const [field, count] of skipped)
      console.log(`  ${field} (${count} times): ${notCompared[field] ?? "no column of a row or record"}`);
    console.log("  updates of the service implicit-withdrawal: a correct announcement ends a hijack by itself");
    console.log("  keys in Redis: there is none");
    console.log("  messages of random streams that come out of order after a record's end: ARTEMIS judges by arrival");
    console.log(
      "  annotations by rules of a prefix that list different names: ARTEMIS stops with an error at such a rule",
    );
    console.log("  dormant, outdated, and values of people in random streams: they have no clock, users or changes");
    console.log(`${cases.length - failed} of ${cases.length} case files passed, ${expectations} expectations`);
    return failed > 0 ? 1 : 0;
  } finally {
    await Promise.all([owner.end(), loader.end()]);
  }
}

process.exitCode = await main();
