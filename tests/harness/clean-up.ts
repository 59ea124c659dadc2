import { readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { mustRun } from "./process.ts";
import { runLabel } from "./run.ts";
import { isStackOf } from "./stack-name.ts";

/** Labels by which the kit's commands know what belongs to a stack; their value is its name. */
const stackLabels = ["com.routeql.stack", "com.routeql.relay"];
const stacks = resolve(import.meta.dirname, "../../.routeql");

/** How many of each kind there were. */
export interface CleanedUp {
  readonly containers: number;
  readonly volumes: number;
  readonly networks: number;
}

/** Removes what one run left: its containers with their anonymous volumes, its volumes, its networks, and the same of the stacks that its tests named. */
export async function cleanUp(run: string): Promise<CleanedUp> {
  const containers = await found(run, "ps", "--all");
  if (containers.length > 0) await mustRun("docker", ["rm", "--force", "--volumes", ...containers]);
  const volumes = await found(run, "volume", "ls");
  if (volumes.length > 0) await mustRun("docker", ["volume", "rm", "--force", ...volumes]);
  const networks = await found(run, "network", "ls");
  if (networks.length > 0) await mustRun("docker", ["network", "rm", ...networks]);
  for (const name of await readdir(stacks).catch(() => [])) {
    if (isStackOf(run, name)) await rm(join(stacks, name), { recursive: true, force: true });
  }
  return { containers: containers.length, volumes: volumes.length, networks: networks.length };
}

/** What `docker <list>` shows of the run: names, or ids of containers. */
async function found(run: string, ...list: readonly string[]): Promise<string[]> {
  const ofRun = words(await mustRun("docker", [...list, "--quiet", "--filter", `label=${runLabel}=${run}`]));
  const id = list[0] === "volume" ? "{{.Name}}" : "{{.ID}}";
  const lists = stackLabels.map(async (label) => {
    const lines = (await mustRun("docker", [...list, "--filter", `label=${label}`, "--format", `${id} {{.Label "${label}"}}`])).split("\n");
    return lines.map((line) => line.split(" ")).filter(([, stack]) => stack !== undefined && isStackOf(run, stack)).map(([name = ""]) => name);
  });
  return [...new Set([...ofRun, ...(await Promise.all(lists)).flat()])];
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
