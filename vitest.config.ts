import { defineConfig } from "vitest/config";
import InOrder from "./tests/runner/in-order.ts";
import { suites } from "./tests/runner/suites.ts";

if (Number.parseInt(process.versions.node, 10) < 24)
  throw new Error(
    `The tests require Node 24, not ${process.version}. Run npm test, which installs it, or put it on the PATH.`,
  );

/** Waiting times for a machine with other load: an expected event must occur within the timeout. Vitest's default is one second. */
const patient = { poll: { interval: 50, timeout: 20_000 } };

const containers = {
  expect: patient,
  globalSetup: ["tests/harness/run/global-setup.ts"],
  testTimeout: 120_000,
  hookTimeout: 300_000,
};

/** Suites whose files share their processes: those that follow the specification (tests/e2e/support/clients/token-lives.ts) or share containers. */
const sharesProcess: ReadonlySet<string> = new Set(["auth-sidecar", "e2e", "gateway", "kubernetes", "official-images"]);

/** One project per suite; `tests/runner/main.ts` lists them in the order of `npm test`. */
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
          // A test without an assertion proves nothing: a loop over an empty list, a callback that never ran.
          expect: { ...patient, requireAssertions: true },
          include: [
            "{packages,hasura-checks,infra,cli,offline,auth-sidecar,engine,database,routing,nginx,hasura-metadata,images,bench,tests/harness,tests/kubernetes-node,tests/runner,tests/documents,tests/boundaries,tests/verify}/**/*.test.ts",
          ],
          exclude: ["**/node_modules/**"],
          // On a busy machine the description of a whole stack takes seconds.
          testTimeout: 60_000,
          hookTimeout: 60_000,
          // Both processors; by default vitest reserves one for itself.
          maxWorkers: 2,
          // Without it, importing takes a third of the time. Nothing here mocks modules, and the order of files does not matter.
          isolate: false,
        },
      },
      ...suites
        .filter(({ needsDocker, ownStack }) => needsDocker && ownStack !== true)
        .map(({ name }) => ({
          test: {
            name,
            include: [`tests/${name}/**/*.test.ts`],
            isolate: !sharesProcess.has(name),
            maxWorkers: 2,
            maxConcurrency: 3,
            ...containers,
          },
        })),
      ...suites
        .filter(({ ownStack }) => ownStack === true)
        .map(({ name, also = [] }) => ({
          test: {
            name,
            include: [`tests/${name}/**/*.test.ts`, ...also],
            // One stack for all files, which change it and kill its services.
            fileParallelism: false,
            // One process for all files, so that a later file can check the result of a one-minute action that an earlier file started.
            isolate: !sharesProcess.has(name),
            ...containers,
            globalSetup: [`tests/${name}/support/global-setup.ts`],
            setupFiles: ["tests/e2e/support/stack/after-each-file.ts"],
            hookTimeout: 900_000,
          },
        })),
    ],
  },
});
