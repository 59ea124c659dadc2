/** `npm run verify -- --engine hasura`: proves the kit on the official images and writes one report to attach to an issue. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { ownEngineImage } from "@routeql/infra/settings/declared/images";
import { parseEnvironmentFile } from "@routeql/infra/settings/reading/environment-file";
import { runAll } from "../runner/run-all.ts";
import { type SuiteResult, totals } from "../runner/results.ts";
import { closingLine } from "../runner/summary.ts";
import { repository } from "../harness/repository.ts";
import { namedSuites } from "../runner/suites.ts";
import { engineOfTheRun } from "../e2e/support/stack/engine-of-the-run.ts";
import { bringUpOwn, takeDownOwn } from "../e2e/support/stack/own-stack.ts";
import { verifyDifferential } from "./differential.ts";
import { imagesOf, machineVersions } from "./images.ts";
import { verifyPermissions } from "./permissions.ts";
import { report } from "./report.ts";

const parts = ["e2e", "permissions", "conformance", "differential"] as const;
const choices = { engine: ["hasura", "embedded"], images: ["official", "built"], part: parts } as const;

const help = `npm run verify -- [--engine hasura|embedded] [--image IMAGE] [--images official|built] [--part PART]… [--report FILE]

Brings a stack up, runs the end-to-end suite and hasura-checks permissions, takes it down, runs the conformance and the
differential suite, and writes a report without secrets: versions, image digests, passed and failed tests.

  --engine NAME    hasura (default) or embedded
  --image IMAGE    Hasura's image; default: the pinned one
  --images KIND    official (default): every service runs the official image; built: images built here
  --part PART      one of ${parts.join(", ")}; can be repeated; default: all. The last two use no
                   stack: the embedded engine against Hasura's recorded answers, and random requests to both engines.
  --report FILE    default: .routeql/verify.md
  --help           this text

Needs Docker and, for official images, a registry that it reaches. Takes about 20 minutes.`;

const stack = "verify";

interface Options {
  readonly engine: string;
  readonly images: string;
  readonly part: readonly string[];
  readonly report: string;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      engine: { type: "string", default: "hasura" },
      image: { type: "string" },
      images: { type: "string", default: "official" },
      part: { type: "string", multiple: true, default: [...parts] },
      report: { type: "string", default: ".routeql/verify.md" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(help);
    return 0;
  }
  for (const [name, allowed] of Object.entries<readonly string[]>(choices)) {
    const wrong = [values[name as keyof typeof choices]].flat().find((value) => !allowed.includes(value));
    if (wrong !== undefined) {
      console.error(`--${name} ${wrong} is unknown: use ${allowed.join(" or ")}.`);
      return 2;
    }
  }
  process.env["ENGINE"] = values.engine;
  if (values.image !== undefined) process.env["HASURA_IMAGE"] = values.image;
  return verify(values);
}

async function verify({ engine, images: kind, part, report: file }: Options): Promise<number> {
  const results: SuiteResult[] = [];
  let secrets: readonly string[] = [];
  let images: Awaited<ReturnType<typeof imagesOf>> = [];
  const conformance = part.includes("conformance")
    ? await runAll(namedSuites(["conformance"]), { filter: undefined, lanes: 1, strict: true })
    : [];
  if (part.includes("e2e") || part.includes("permissions")) {
    try {
      const accessFile = await bringUpStack(kind, results);
      images = await imagesOf(stack);
      results.push(engineResult(images));
      if (accessFile !== undefined) {
        secrets = await secretsIn(accessFile);
        process.env["ROUTEQL_ACCESS_FILE"] = accessFile;
        if (part.includes("e2e"))
          results.push(...(await runAll(namedSuites(["e2e"]), { filter: undefined, lanes: 1, strict: true })));
        if (part.includes("permissions")) results.push(await verifyPermissions(stack, accessFile));
      }
    } finally {
      await takeDownOwn(stack);
    }
  }
  results.push(...conformance);
  if (engine === "hasura" && part.includes("differential")) results.push(await verifyDifferential());
  const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as { version: string };
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, report({ version, machine: await machineVersions(), engine, images, results, secrets }));
  console.log(`\nreport: ${file}\n\n${closingLine(results)}`);
  return totals(results).failed > 0 ? 1 : 0;
}

/** The path of the stack's access.env; undefined if the stack does not come up, which the report then contains as a failed test. */
async function bringUpStack(images: string, results: SuiteResult[]): Promise<string | undefined> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  try {
    const accessFile = await bringUpOwn(stack, { images });
    results.push({ suite: "up", seconds: seconds(), tests: [{ title: "npm run up", state: "passed" }] });
    return accessFile;
  } catch (error) {
    results.push({
      suite: "up",
      seconds: seconds(),
      tests: [{ title: "npm run up", state: "failed", reason: (error as Error).message }],
    });
    return undefined;
  }
}

/** Whether the stack runs the image of the engine that the report names. */
function engineResult(images: Awaited<ReturnType<typeof imagesOf>>): SuiteResult {
  const wanted = engineOfTheRun()["hasuraImage"] ?? ownEngineImage;
  const found = images.find(({ service }) => service === "engine")?.name;
  const title = `the stack runs ${wanted}`;
  const isRight = found?.startsWith(wanted) === true;
  return {
    suite: "engine",
    seconds: 0,
    tests: [isRight ? { title, state: "passed" } : { title, state: "failed", reason: `it runs ${found}` }],
  };
}

const secretNames: ReadonlySet<string> = new Set(["SERVICE_API_KEY", "ENGINE_ACCESS_KEY", "ADMIN_PASSWORD"]);

async function secretsIn(accessFile: string): Promise<readonly string[]> {
  const { entries } = parseEnvironmentFile(await readFile(accessFile, "utf8"));
  return entries.flatMap(({ name, value }) => (secretNames.has(name) ? [value] : []));
}

process.exitCode = await main();
