/** A separate stack for the whole suite, because its services are killed, starved and disconnected. */
import type { TestProject } from "vitest/node";
import { ownStackSetup } from "../../e2e/support/stack/own-stack-setup.ts";
import { freePorts } from "../../harness/free-ports.ts";
import { forgetFigures } from "./figures.ts";

/** With the alerts as in production. Tokens outlive every fault; statements time out early, so that a hanging database is noticed within the suite's limits. */
const settings = { monitoring: "stack", tokenLifeSeconds: "3600", statementTimeoutSeconds: "8" };

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetFigures();
  const [prometheusPort] = await freePorts(1);
  return ownStackSetup("faults", { ...settings, prometheusPort: String(prometheusPort) })(project);
}
