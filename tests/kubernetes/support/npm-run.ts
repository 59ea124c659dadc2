import { type Finished, run } from "../../harness/process.ts";
import { stackName } from "./stack.ts";

export const main = ["cli/main.ts"];

/** Runs one of the kit's commands on the suite's stack until it exits. */
export function npmRun(name: string, args: readonly string[], input?: string, timeout = 120_000): Promise<Finished> {
  return run(process.execPath, [...main, name, "--stack", stackName, ...args], {
    timeout,
    ...(input === undefined ? {} : { input }),
  });
}
