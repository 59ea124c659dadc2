/**
 * A separate stack for the whole suite, because its services are killed, starved and disconnected. The containers beside it are removed
 * at the end, as in every suite.
 * @module
 */
import { readFileSync } from "node:fs";
import type { TestProject } from "vitest/node";
import { describeStack } from "../../e2e/support/describe-stack.ts";
import { ownStackSetup } from "../../e2e/support/own-stack-setup.ts";
import { teardown as removeContainers } from "../../harness/global-setup.ts";
import { freePorts } from "../../harness/free-ports.ts";
import { forgetFigures } from "./figures.ts";

/** With the alerts as in production. Tokens outlive every fault; statements time out early, so that a hanging database is noticed within the suite's limits. */
const settings = { monitoring: "stack", tokenLifeSeconds: "3600", statementTimeoutSeconds: "8" };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetFigures();
  const given = process.env["ROUTEQL_FAULTS_ACCESS_FILE"];
  if (given !== undefined) {
    readFileSync(given);
    project.provide("stack", await describeStack(given));
    return removeContainers;
  }
  const [prometheusPort] = await freePorts(1);
  const takeDown = await ownStackSetup("faults", { ...settings, prometheusPort: String(prometheusPort) })(project);
  return async () => {
    await takeDown();
    await removeContainers();
  };
}
