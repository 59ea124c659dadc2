import type { TestProject } from "vitest/node";
import { teardown as removeContainers } from "../../../harness/run/global-setup.ts";
import { describeStack } from "./describe-stack.ts";
import { bringUpOwn, type Settings, takeDownOwn } from "./own-stack.ts";

/** A global setup with one stack for all files of a suite, named like the suite. At the end it is removed, and so are containers beside it. */
export function ownStackSetup(
  name: string,
  settings: Settings = {},
): (project: TestProject) => Promise<() => Promise<void>> {
  return async (project) => {
    try {
      project.provide("stack", await describeStack(await bringUpOwn(name, settings)));
    } catch (error) {
      await takeDownOwn(name);
      throw error;
    }
    return async () => {
      await takeDownOwn(name);
      await removeContainers();
    };
  };
}
