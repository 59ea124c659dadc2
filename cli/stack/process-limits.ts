import { processesLabel } from "@routeql/infra/targets/docker/container";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { engineAbilities } from "../docker/engine-facts.ts";

/**
 * Limits the number of processes in each container of a stack. The limit of the control group counts this container alone; the user's limit
 * (`nproc`) would count every process of that user on the host.
 * @returns the number of containers whose limit changed; 0 on an engine that cannot limit processes and rejects such an update
 */
export async function limitProcesses(stack: string): Promise<number> {
  if ((await engineAbilities()).ignored.includes("processes")) return 0;
  const docker = dockerClient();
  const containers = await docker.listContainers({
    all: true,
    filters: { label: [`com.routeql.stack=${stack}`, processesLabel] },
  });
  const changed = await Promise.all(
    containers.map(async ({ Id, Labels }) => {
      const wanted = Number(Labels[processesLabel]);
      const container = docker.getContainer(Id);
      // A job's container may have been replaced meanwhile.
      const found = await orUndefined(container.inspect());
      if (found === undefined || found.HostConfig.PidsLimit === wanted) return 0;
      await orUndefined(container.update({ PidsLimit: wanted }));
      return 1;
    }),
  );
  return changed.reduce<number>((sum, one) => sum + one, 0);
}
