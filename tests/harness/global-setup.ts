/**
 * Vitest's global setup of every suite that starts containers: when the run ends, however it ends, nothing of it is left.
 * @module
 */
import { cleanUp } from "./clean-up.ts";
import { runId } from "./run.ts";

export function setup(): void {
  // importing run.ts has set the run's identifier for the worker processes
}

export async function teardown(): Promise<void> {
  await cleanUp(runId);
}
