import { defineConfig } from "vitest/config";
import InOrder from "./tests/runner/in-order.ts";
import { suites } from "./tests/runner/suites.ts";

if (Number.parseInt(process.versions.node, 10) < 24) throw new Error(`The tests need Node 24, and this is ${process.version}: npm test brings it, or put it on the PATH.`);

/** A machine at load: what is waited for comes, or the test says so after this time; without it vitest waits one second. */
const patient = { poll: { interval: 50, timeout: 20_000 } };

const containers = {
  expect: patient,
  globalSetup: ["tests/harness/global-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 300_000,
};

/** Suites that walk the specification (tests/e2e/support/token-lives.ts). */
const sharesProcess: ReadonlySet<string> = new Set(["e2e", "kubernetes"]);

/** One project a suite; `tests/runner/main.ts` lists them in the order in which `npm test` runs them. */
export default defineConfig({
  test: {
    passWithNoTests: false,
    sequence: { sequencer: InOrder },
    restoreMocks: true,
    unstubEnvs: true,
    unstubGlobals: true,
    projects: [
      {
        test: {
          name: "unit",
          // A test in which nothing was expected proves nothing: a loop over an empty list, a callback that never ran.
          expect: { ...patient, requireAssertions: true },
          include: ["{packages,infra,cli,providers,auth-sidecar,engine,database,nginx,hasura-metadata,images,bench,tests/harness,tests/runner,tests/mutations,tests/documents,tests/boundaries,tests/verify}/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          // On a busy machine a whole stack takes seconds to describe.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Both processors; left alone, vitest keeps one for itself.
          maxWorkers: 2,
          // Without it, importing takes a third of the time. Nothing here mocks modules, and the order of files does not matter.
          isolate: false,
        },
      },
      ...suites
        .filter(({ needsDocker, ownStack }) => needsDocker && ownStack !== true)
        .map(({ name }) => ({ test: { name, include: [`tests/${name}/**/*.test.ts`], maxWorkers: 2, maxConcurrency: 3, ...containers } })),
      ...suites
        .filter(({ ownStack }) => ownStack === true)
        .map(({ name, also = [] }) => ({
          test: {
            name,
            include: [`tests/${name}/**/*.test.ts`, ...also],
            // One stack for all files, which change it and kill its parts.
            fileParallelism: false,
            // One process for all files, so that what takes a minute may begin in one file and be looked at in a later one.
            isolate: !sharesProcess.has(name),
            ...containers,
            globalSetup: [`tests/${name}/support/global-setup.ts`],
            setupFiles: ["tests/e2e/support/after-each-file.ts"],
            hookTimeout: 900_000,
          },
        })),
    ],
  },
});
