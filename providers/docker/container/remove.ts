import { dockerClient, isConflict, isNotFound, orUndefined } from "@routeql/host/docker/client";
import type { ContainerInputs } from "./inputs.ts";

const docker = dockerClient();

/** Stops a container within its grace time and removes it; succeeds if it is already removed. */
export async function removeContainer(
  id: string,
  inputs: Pick<ContainerInputs, "destroyGraceSeconds" | "removeVolumes">,
): Promise<void> {
  const container = docker.getContainer(id);
  const info = await orUndefined(container.inspect());
  if (!info) return;
  if (info.State.Running && inputs.destroyGraceSeconds) {
    // Status 304 (already stopped) is an error for the client library.
    await container.stop({ t: inputs.destroyGraceSeconds }).catch((error: unknown) => {
      if (!isNotFound(error) && (error as { statusCode?: number }).statusCode !== 304) throw error;
    });
  }
  const gone = container.wait({ condition: "removed" }).catch(() => undefined);
  try {
    await container.remove({ force: true, v: inputs.removeVolumes ?? true });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    // Another process is removing it.
    await gone;
  }
}
