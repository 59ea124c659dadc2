/** `npm run test:differential -- --requests N --seed N`: the same random requests to Hasura's own server and to the embedded engine. */
import { randomInt } from "node:crypto";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { compareConditions } from "./conditions.ts";
import { compareWorlds, type Tally } from "./run.ts";

const help = `npm run test:differential -- [--requests N] [--seed N] [--world WORLD]… [--writes | --conditions] [--report FILE]

Sends the same random requests to Hasura's own server and to the embedded engine, over one database and one metadata,
and compares answers and schemas.

  --requests N     requests of each world; default 2000
  --seed N         the same seed draws the same requests; default: a random one, which is printed
  --world WORLD    project (hasura-metadata/), sample (many column types), named (the sample below a namespace), a folder
                   with metadata/ and migrations/ of another project, or a folder of Hasura's fixtures; repeatable;
                   default: project, sample and named
  --writes         mutations, each on two copies of the database, whose rows and sequences are compared too
  --conditions     random conditions and presets of permissions, valid or not: whether each engine accepts them, and the
                   rows that they show
  --report FILE    writes every unexplained difference to FILE
  --help           this text

HASURA_IMAGE names Hasura's image. Without that image nothing is compared.`;

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "2000" },
    seed: { type: "string", default: String(randomInt(1_000_000)) },
    world: { type: "string", multiple: true, default: ["project", "sample", "named"] },
    writes: { type: "boolean", default: false },
    conditions: { type: "boolean", default: false },
    report: { type: "string" },
    help: { type: "boolean", default: false },
  },
});

/** Why nothing can be compared. */
class Skipped extends Error {}

async function main(): Promise<void> {
  if (values.help) return console.log(help);
  const { writes, conditions } = values;
  const plan = { requests: Number(values.requests), seed: Number(values.seed), writes };
  if (!Number.isSafeInteger(plan.requests) || !Number.isSafeInteger(plan.seed))
    throw new Error("--requests and --seed need whole numbers");
  console.log(`seed ${plan.seed}`);
  const skip = (condition: boolean, note?: string): void => {
    if (condition) throw new Skipped(note);
  };
  const given = skip as Parameters<typeof compareWorlds>[2];
  show(await (conditions ? compareConditions(plan, given) : compareWorlds(values.world, plan, given)));
}

function show({ equal, withData, changed, reordered, explained, unexplained, schemas }: Tally): void {
  for (const line of schemas) console.log(line);
  for (const { world, call, hasura, embedded } of unexplained.slice(0, 20))
    console.log(
      `\n${world} ${JSON.stringify(call)}\n  Hasura:   ${hasura.slice(0, 600)}\n  embedded: ${embedded.slice(0, 600)}`,
    );
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(unexplained, undefined, 1));
  for (const [name, count] of explained) console.log(`${count} × ${name}`);
  console.log(
    `${equal} equal (${withData} with data, ${changed} with changes), ${reordered} in another order, ${[...explained.values()].reduce((sum, count) => sum + count, 0)} explained, ${unexplained.length} unexplained, ${schemas.length} differences of schemas`,
  );
  if (unexplained.length + schemas.length > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  if (error instanceof Skipped) console.log(`skipped: ${error.message}`);
  else {
    console.error(String(error));
    process.exitCode = 1;
  }
}
