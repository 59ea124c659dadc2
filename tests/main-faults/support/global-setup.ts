/** One stack for the files of the suites `faults` and `hostile` that `npm test` runs. */
import type { TestProject } from "vitest/node";
import { ownStackSetup } from "../../e2e/support/stack/own-stack-setup.ts";
import { forgetFigures } from "../../faults/support/figures.ts";
import { beginFigures, figuresLine } from "../../hostile/support/figures.ts";
import { settings } from "../../hostile/support/global-setup.ts";

export async function setup(project: TestProject): Promise<() => Promise<void>> {
  forgetFigures();
  beginFigures();
  const takeDown = await ownStackSetup("main-faults", settings)(project);
  return async () => {
    console.log(figuresLine());
    await takeDown();
  };
}
