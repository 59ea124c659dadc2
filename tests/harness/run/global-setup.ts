/** Vitest's global setup of every suite with containers: removes all of them at the end of the run, even after a failure. */
import { cleanUp } from "./clean-up.ts";
import { runId } from "./run.ts";

export function setup(): void {
  // Importing run.ts has set the run's identifier for the worker processes.
}

export async function teardown(): Promise<void> {
  await cleanUp(runId);
}
