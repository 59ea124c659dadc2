import { mustRun } from "../../tests/harness/process.ts";

/** Makes sure that what the container suites stand on is there. @throws when Docker does not answer */
export async function prepare(): Promise<void> {
  await mustRun("docker", ["version"]);
}
