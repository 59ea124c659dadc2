/** `npm run bench:engine`, `bench:auth`, `bench:positions`, `bench:feed` and `bench:stack`, and `npm run bench` for all of them. */
import { parseArgs } from "node:util";
import { cleanUp } from "@routeql/tests/harness/run/clean-up";
import { runId } from "@routeql/tests/harness/run/run";
import { prepareDocker } from "@routeql/tests/runner/prepare";

const help = `npm run bench:engine | bench:auth | bench:positions | bench:feed | bench:stack | bench [-- OPTIONS]

  engine  the embedded engine beside node:http with pg, on the same Postgres; ready time; live queries
  auth    tokens and logins of the sidecar beside the cost of signing and hashing alone; overload with three times its capacity
  positions  a load with and without positions; readers of the log beside readers by time
  feed    loads of text and MRT, with and without configured prefixes; live updates until a reader of the view sees them
  stack   a whole stack through its gateway, over TLS, beside its engine and beside plain nginx with node and pg; live queries; steps of a client
  bench   all of them

  --quick      a shorter run on less data, for a first look
  --only TEXT  only cases and parts with TEXT in their name
  --against DIRECTORY
               engine: only compare with the engine of another checkout, whose packages are installed
  --against hasura
               engine: only compare with Hasura (the image in HASURA_IMAGE) asked directly, through a bare proxy and through the front
  --record     write the figures for docs/reference/figures.md (engine, auth, feed, stack); then run npm run documents
  --help       this text

Each starts its own services, prints tables and writes bench/results/<name>.json. bench/README.md explains the figures.`;

interface Options {
  readonly quick: boolean;
  readonly only: string;
  readonly against?: string | undefined;
  readonly record: boolean;
}

const parts: Readonly<Record<string, (options: Options) => Promise<string>>> = {
  engine: async (options) => (await import("./engine/run.ts")).benchEngine(options),
  auth: async (options) => (await import("./auth/run.ts")).benchAuth(options),
  positions: async (options) => (await import("./positions/run.ts")).benchPositions(options),
  feed: async (options) => (await import("./feed/run.ts")).benchFeed(options),
  stack: async (options) => (await import("./stack/run.ts")).benchStack(options),
};

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
      against: { type: "string" },
      record: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(parts, name));
  if (values.help || unknown.length > 0) {
    console.log(help);
    return values.help ? 0 : 2;
  }
  await prepareDocker();
  try {
    for (const [name, run] of Object.entries(parts)) {
      if (positionals.length > 0 && !positionals.includes(name)) continue;
      const began = performance.now();
      console.log(`\n=== ${name}`);
      const path = await run(values);
      console.log(`\n${path}, ${((performance.now() - began) / 1000).toFixed(0)} s`);
    }
  } finally {
    await cleanUp(runId);
  }
  return 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const misunderstood = (error as NodeJS.ErrnoException).code?.startsWith("ERR_PARSE_ARGS");
  console.error(error instanceof Error ? (misunderstood ? error.message : error.stack) : error);
  process.exitCode = 1;
}
