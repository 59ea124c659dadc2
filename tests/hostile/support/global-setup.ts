/**
 * One stack for the whole suite: its own, or the one whose access.env is in ROUTEQL_HOSTILE_ACCESS_FILE. The last output line has
 * the figures.
 * @module
 */
import type { TestProject } from "vitest/node";
import { describeStack } from "../../e2e/support/describe-stack.ts";
import { ownStackSetup } from "../../e2e/support/own-stack-setup.ts";
import { teardown as removeContainers } from "../../harness/global-setup.ts";
import { beginFigures, figuresLine } from "./figures.ts";

/** Limits per address are raised, because all attackers share one address; they have tests of their own. Tokens outlive the suite. */
export const settings = {
  tokenLifeSeconds: "3600",
  connectionsPerAddress: "6000",
  requestsPerSecondPerAddress: "5000",
  requestBurst: "5000",
  statementTimeoutSeconds: "5",
};

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  beginFigures();
  const given = process.env["ROUTEQL_HOSTILE_ACCESS_FILE"];
  const takeDown = given === undefined ? await ownStackSetup("hostile", settings)(project) : undefined;
  if (given !== undefined) project.provide("stack", await describeStack(given));
  return async () => {
    console.log(figuresLine());
    await takeDown?.();
    await removeContainers();
  };
}
