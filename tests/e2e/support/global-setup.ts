/**
 * One stack for the whole end-to-end suite: its own, on free ports and removed afterwards, or the running stack whose access.env is in
 * ROUTEQL_ACCESS_FILE.
 */
import type { TestProject } from "vitest/node";
import { describeStack } from "./stack/describe-stack.ts";
import { ownStackSetup } from "./stack/own-stack-setup.ts";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env["ROUTEQL_ACCESS_FILE"];
  if (given === undefined) return ownStackSetup("e2e")(project);
  project.provide("stack", await describeStack(given));
  return () => Promise.resolve();
}
