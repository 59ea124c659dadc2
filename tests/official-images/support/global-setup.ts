/** One stack for the whole suite: the settings of stack `dev` with images in the shape of the official ones. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { parse } from "yaml";
import { ownStackSetup } from "../../e2e/support/stack/own-stack-setup.ts";
import { repository } from "../../harness/repository.ts";
import { build } from "./official-image.ts";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { config } = parse(await readFile(join(repository, "Pulumi.dev.yaml"), "utf8")) as {
    config: Record<string, string>;
  };
  const dev = Object.fromEntries(Object.entries(config).map(([name, value]) => [name.replace("routeql:", ""), value]));
  // Tests of features that Hasura does not have read this.
  process.env["ENGINE"] = "hasura";
  const images = {
    databaseImage: await build("postgres"),
    sessionsImage: await build("valkey"),
    gatewayImage: await build("nginx"),
    hasuraImage: await build("hasura"),
  };
  return ownStackSetup("official-images", { ...dev, ...images })(project);
}
