import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { mustRun } from "../process.ts";
import { runLabel } from "./run.ts";
import { isStackOf } from "./stack-name.ts";

/** Labels by which the kit's commands find the objects of a stack; their value is its name. */
const stackLabels = ["com.routeql.stack", "com.routeql.relay", "com.routeql.claim"];
const stacks = resolve(import.meta.dirname, "../../../.routeql");

/** Number of removed objects of each kind. */
export interface CleanedUp {
  readonly containers: number;
  readonly volumes: number;
  readonly networks: number;
}

/**
 * Removes the remains of these runs: containers with their anonymous volumes, volumes and networks, also those of the stacks that the
 * tests created.
 */
export async function cleanUp(...runs: readonly string[]): Promise<CleanedUp> {
  // Without a run there may be no Docker either.
  if (runs.length === 0) return { containers: 0, volumes: 0, networks: 0 };
  const containers = await found(runs, "ps", "--all");
  if (containers.length > 0) await mustRun("docker", ["rm", "--force", "--volumes", ...containers]);
  const volumes = await found(runs, "volume", "ls");
  if (volumes.length > 0) await mustRun("docker", ["volume", "rm", "--force", ...volumes]);
  const networks = await found(runs, "network", "ls");
  if (networks.length > 0) await mustRun("docker", ["network", "rm", ...networks]);
  for (const name of await readdir(stacks).catch(() => [])) {
    if (isOfAny(runs, name)) await rm(join(stacks, name), { recursive: true, force: true });
  }
  return { containers: containers.length, volumes: volumes.length, networks: networks.length };
}

const isOfAny = (runs: readonly string[], stack: string): boolean => runs.some((run) => isStackOf(run, stack));

/** The output of `docker <list>` for the runs: names, or ids of containers. */
async function found(runs: readonly string[], ...list: readonly string[]): Promise<string[]> {
  const id = list[0] === "volume" ? "{{.Name}}" : "{{.ID}}";
  const lists = [runLabel, ...stackLabels].map(async (label) => {
    const lines = (
      await mustRun("docker", [...list, "--filter", `label=${label}`, "--format", `${id} {{.Label "${label}"}}`])
    ).split("\n");
    const isOurs = (value: string): boolean => (label === runLabel ? runs.includes(value) : isOfAny(runs, value));
    return lines
      .map((line) => line.split(" "))
      .filter(([, value]) => value !== undefined && isOurs(value))
      .map(([name = ""]) => name);
  });
  return [...new Set((await Promise.all(lists)).flat())];
}
