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
          include: ["{contract,infra,auth-sidecar,engine,database,nginx,hasura-metadata,images,tools,tests/harness}/**/*.test.ts"],
          exclude: ["**/node_modules/**"],
        },
      },
      ...suites
        .filter(({ needsDocker, name }) => needsDocker && name !== "e2e")
        .map(({ name }) => ({ test: { name, include: [`tests/${name}/**/*.test.ts`], maxWorkers: 2, ...containers } })),
      {
        test: {
          name: "e2e",
          include: ["tests/e2e/**/*.test.ts"],
          // One stack for all files, and one of them kills its parts.
          fileParallelism: false,
          ...containers,
          globalSetup: ["tests/e2e/support/global-setup.ts"],
          hookTimeout: 900_000,
        },
      },
    ],
  },
});
