import { z } from "zod";
import { dockerClient } from "@routeql/host/docker/client";

export const engineIdentity = z.object({ id: z.string(), name: z.string() });

/** Tells one Docker engine from another. */
export type EngineIdentity = z.infer<typeof engineIdentity>;

/** Engines before version 23 of one host share their id; their data roots differ. */
export async function readEngineIdentity(): Promise<EngineIdentity> {
  const { ID, DockerRootDir, Name } = (await dockerClient().info()) as { ID: string; DockerRootDir: string; Name: string };
  return { id: `${ID} ${DockerRootDir}`, name: `${Name} (${DockerRootDir})` };
}
