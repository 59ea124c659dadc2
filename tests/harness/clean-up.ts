import { mustRun } from "./process.ts";
import { runLabel } from "./run.ts";

/** Removes what one run left: its containers with their anonymous volumes, its named volumes, its networks. Returns how many of each there were. */
export async function cleanUp(run: string): Promise<{ containers: number; networks: number }> {
  const filter = `label=${runLabel}=${run}`;
  const containers = words(await mustRun("docker", ["ps", "--all", "--quiet", "--filter", filter]));
  if (containers.length > 0) await mustRun("docker", ["rm", "--force", "--volumes", ...containers]);
  const volumes = words(await mustRun("docker", ["volume", "ls", "--quiet", "--filter", filter]));
  if (volumes.length > 0) await mustRun("docker", ["volume", "rm", "--force", ...volumes]);
  const networks = words(await mustRun("docker", ["network", "ls", "--quiet", "--filter", filter]));
  if (networks.length > 0) await mustRun("docker", ["network", "rm", ...networks]);
  return { containers: containers.length, networks: networks.length };
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== "");
}
