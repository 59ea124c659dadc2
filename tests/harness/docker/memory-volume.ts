import { randomBytes } from "node:crypto";
import { mustRun } from "../process.ts";
import { runId, runLabel } from "../run/run.ts";

/** Creates a volume of the database's user, in memory if it has a size; memory exists while a container uses it. @returns its name */
export async function newVolume(purpose: string, megabytes?: number): Promise<string> {
  const name = `rq-test-${runId}-${purpose}-${randomBytes(3).toString("hex")}`;
  const inMemory = ["type=tmpfs", "device=tmpfs", `o=size=${megabytes}m,uid=10105,gid=10105,mode=0700`];
  const options = megabytes === undefined ? [] : inMemory.flatMap((option) => ["--opt", option]);
  await mustRun("docker", ["volume", "create", "--label", `${runLabel}=${runId}`, ...options, name]);
  return name;
}

export const removeVolume = (name: string): Promise<string> => mustRun("docker", ["volume", "rm", "--force", name]);
