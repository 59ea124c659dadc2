/**
 * `npm run test:conformance -- --fixtures DIR [--filter TEXT]`: Hasura's own test cases against the embedded engine,
 * over HTTP and WebSocket, on a real Postgres.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { parseArgs } from "node:util";
import { startConformanceDatabase } from "./database.ts";
import { closingLine, count, describe, reportByFolder } from "./report.ts";
import { runFixtures } from "./run.ts";

const help = `npm run test:conformance -- --fixtures DIR [--filter TEXT] [--database URL] [--report FILE]

  --fixtures DIR   a folder of Hasura's YAML cases; setup.yaml of a folder prepares it
  --filter TEXT    only cases with TEXT in their folder or name
  --database URL   a Postgres with a role that may create databases; default: a new container
  --report FILE    file for the report; default .routeql/conformance.md
  --help           this text`;

const { values } = parseArgs({
  options: {
    fixtures: { type: "string" },
    filter: { type: "string" },
    database: { type: "string" },
    report: { type: "string", default: ".routeql/conformance.md" },
    help: { type: "boolean", default: false },
  },
});

async function main(): Promise<number> {
  if (values.help || values.fixtures === undefined) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  await using started = values.database === undefined ? await startConformanceDatabase() : undefined;
  const results = await runFixtures({
    fixtures: resolve(values.fixtures),
    filter: values.filter,
    database: started?.address ?? values.database ?? "",
    onResult: (result) => {
      const text = describe(result);
      if (text !== undefined) console.log(`${text}\n`);
    },
  });
  const counts = count(results);
  const report = resolve(values.report);
  mkdirSync(dirname(report), { recursive: true });
  writeFileSync(report, reportByFolder(results));
  console.log(`report: ${report}`);
  console.log(closingLine(counts));
  return counts.failed > 0 || results.length === 0 ? 1 : 0;
}

process.exitCode = await main();
