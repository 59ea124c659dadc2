import { z } from "zod";
import { dockerClient } from "@routeql/host/docker/client";

export const engineIdentity = z.object({ id: z.string(), name: z.string() });

/** Identifies a Docker engine. */
export type EngineIdentity = z.infer<typeof engineIdentity>;

/** Before version 23, all engines of one host share their id; their data roots differ. */
export async function readEngineIdentity(): Promise<EngineIdentity> {
  const { ID, DockerRootDir, Name } = (await dockerClient().info()) as {
    ID: string;
    DockerRootDir: string;
    Name: string;
  };
  return { id: `${ID} ${DockerRootDir}`, name: `${Name} (${DockerRootDir})` };
}
