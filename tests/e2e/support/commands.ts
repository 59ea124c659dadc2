import { resolve } from "node:path";
import { mustRun } from "../../harness/process.ts";
import { stack } from "./stack/stack.ts";

const repository = resolve(import.meta.dirname, "../../..");

/**
 * Runs one of the project's commands (`npm run load -- …`) on the stack under test and returns its output.
 * @throws when it fails
 */
export async function command(
  name: "load" | "detect" | "logs" | "psql" | "status" | "support",
  ...args: string[]
): Promise<string> {
  return mustRun(process.execPath, ["cli/main.ts", name, "--stack", stack.name, ...args], {
    cwd: repository,
    timeout: 300_000,
  });
}
