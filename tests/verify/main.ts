/**
 * `npm run verify -- --engine hasura`: proves the kit on the official images and writes one report to attach to an issue.
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { runAll } from "../runner/run-all.ts";
import { totals } from "../runner/results.ts";
import { closingLine } from "../runner/summary.ts";
import { repository, selectSuites } from "../runner/suites.ts";
import { bringUpOwn, takeDownOwn } from "../e2e/support/own-stack.ts";
import { imagesOf } from "./images.ts";
import { verifyPermissions } from "./permissions.ts";
import { report } from "./report.ts";

const help = `npm run verify -- [--engine hasura|embedded] [--image IMAGE] [--images official|local] [--report FILE]

Brings a stack up, runs the end-to-end suite and hasura-checks permissions against it, takes it down, and writes a
report without secrets: versions, image digests, passed and failed tests.

  --engine NAME    hasura (default) or embedded
  --image IMAGE    Hasura's image; default: the pinned one
  --images KIND    official (default): every service runs the official image; local: images built here
  --report FILE    default: .routeql/verify.md
  --help           this text

Needs Docker and, for official images, a registry that it reaches. Takes about 15 minutes.`;

const stack = "verify";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "hasura" },
      image: { type: "string" },
      images: { type: "string", default: "official" },
      report: { type: "string", default: ".routeql/verify.md" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  process.env["ENGINE"] = values.engine;
  if (values.image !== undefined) process.env["HASURA_IMAGE"] = values.image;
  try {
    const accessFile = await bringUpOwn(stack, { images: values.images });
    process.env["ROUTEQL_ACCESS_FILE"] = accessFile;
    const images = await imagesOf(stack);
    const suites = await runAll(selectSuites(["e2e"]), { filter: undefined, lanes: 1, strict: true });
    const results = [...suites, await verifyPermissions(stack, accessFile)];
    const version = (JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as { version: string }).version;
    await writeFile(values.report, report({ version, engine: values.engine, images, results }));
    console.log(`\nreport: ${values.report}\n\n${closingLine(results)}`);
    return totals(results).failed > 0 ? 1 : 0;
  } finally {
    await takeDownOwn(stack);
  }
}

process.exitCode = await main();
