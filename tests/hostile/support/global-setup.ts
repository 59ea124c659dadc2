/** One stack for the whole suite. The last output line has the figures. */
import type { TestProject } from "vitest/node";
import { ownStackSetup } from "../../e2e/support/stack/own-stack-setup.ts";
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
  const takeDown = await ownStackSetup("hostile", settings)(project);
  return async () => {
    console.log(figuresLine());
    await takeDown();
  };
}
