import { defineConfig } from "vitest/config";
import InOrder from "./tools/test/in-order.ts";
import { suites } from "./tools/test/suites.ts";

const containers = {
  globalSetup: ["tests/harness/global-setup.ts"],
  testTimeout: 60_000,
  hookTimeout: 300_000,
};

/** One project a suite; `tools/test.ts` lists them in the order in which `npm test` runs them. */
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
          include: ["{contract,infra,auth-sidecar,engine,database,nginx,hasura-metadata,images,tools,bench,tests/harness}/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
          // On a busy machine a whole stack takes seconds to describe.
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      ...suites
        .filter(({ needsDocker, ownStack }) => needsDocker && ownStack !== true)
        .map(({ name }) => ({ test: { name, include: [`tests/${name}/**/*.test.ts`], maxWorkers: 2, ...containers } })),
      ...suites
        .filter(({ ownStack }) => ownStack === true)
        .map(({ name, also = [] }) => ({
          test: {
            name,
            include: [`tests/${name}/**/*.test.ts`, ...also],
            // One stack for all files, which change it and kill its parts.
            fileParallelism: false,
            ...containers,
            globalSetup: [`tests/${name}/support/global-setup.ts`],
            hookTimeout: 900_000,
          },
        })),
    ],
  },
});
