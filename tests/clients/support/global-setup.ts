/** A stack with the limits of logins and tokens of a new stack, as a site with many clients behind one address has it. */
import type { TestProject } from "vitest/node";
import { ownStackSetup } from "../../e2e/support/stack/own-stack-setup.ts";

const settings = {
  tokenLifeSeconds: "300",
  loginAttemptsPerAddress: "30",
  loginRequestsPerMinutePerAddress: "100",
  connectionsPerAddress: "200",
};

export const setup = (project: TestProject): Promise<() => Promise<void>> =>
  ownStackSetup("clients", settings)(project);
