import { frontNode } from "@routeql/infra/services/embedded-engine";
import { expect, test } from "vitest";
import { image } from "../harness/containers/image.ts";
import { run } from "../harness/process.ts";
import { runId, runLabel } from "../harness/run/run.ts";

const debug = ["--env", "NODE_DEBUG_NATIVE=COMPILE_CACHE"];

// Stripping the types of one file at each start takes 18 MB.
test.each([
  ["the embedded engine", ["node"]],
  ["the front", frontNode],
])("the image contains all compiled code of %s", async (_what, node) => {
  const label = ["--label", `${runLabel}=${runId}`];
  const command = [await image("engine"), ...node, "engine/src/main.ts"];
  const { stdout, stderr } = await run("docker", ["run", "--rm", "--network", "none", ...label, ...debug, ...command]);
  expect(stderr).toContain("HASURA_GRAPHQL_ADMIN_SECRET: must be given");
  const lines = `${stdout}${stderr}`.split("\n");
  expect(lines.filter((line) => line.includes("was accepted")).length).toBeGreaterThan(100);
  expect(lines.filter((line) => line.includes("Creating temporary file"))).toEqual([]);
});
