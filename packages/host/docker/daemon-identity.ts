import { dockerClient } from "./client.ts";

/** The Docker daemon to which a stack's state stays bound. */
export interface DaemonIdentity {
  readonly id: string;
  readonly name: string;
}

/** Before version 23, all daemons of one host share their id; their data roots differ. */
export async function readDaemonIdentity(): Promise<DaemonIdentity> {
  const { ID, DockerRootDir, Name } = (await dockerClient().info()) as {
    ID: string;
    DockerRootDir: string;
    Name: string;
  };
  return { id: `${ID} ${DockerRootDir}`, name: `${Name} (${DockerRootDir})` };
}
