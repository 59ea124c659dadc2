import { randomUUID } from "node:crypto";
import { orUndefined } from "@routeql/host/docker/client";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";

/** Label of a database volume that replaces a lost one. */
export const dataVolumeLabel = "com.routeql.data";

export const databaseVolume = (prefix: string): string => `${prefix}-database-data`;

/** Identity of a volume that replaces a lost one, so that the jobs run again on it. @param hadData whether there was an update before */
export async function replacedDataVolume(
  prefix: string,
  hadData: boolean,
  docker: DockerClient | undefined = daemonOfProvider(),
): Promise<string | undefined> {
  if (docker === undefined) return undefined;
  const volume = await orUndefined(docker.getVolume(databaseVolume(prefix)).inspect());
  const label = volume?.Labels?.[dataVolumeLabel];
  if (label !== undefined || !hadData) return label;
  if (volume === undefined) return randomUUID();
  // Docker itself creates the missing volume of a container that starts, without labels.
  if (volume.Labels?.["com.routeql.stack"] === undefined) return (volume as { CreatedAt?: string }).CreatedAt;
  return undefined;
}
