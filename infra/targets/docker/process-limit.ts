import type { Container } from "@pulumi/docker";
import { log, output, type Output, runtime } from "@pulumi/pulumi";
import { orUndefined } from "@routeql/host/docker/client";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";

/**
 * The container with a limit of processes in its control group. The Docker provider has no input for the limit, so the program sets it
 * when the container runs, in every update. A user's limit (`nproc`) would count the processes of that user in every stack on the host.
 * @param processes processes and threads
 * @param warns whether to warn when the limit cannot be set
 */
export function withProcessLimit(container: Container, processes: number, warns = true): Output<Container> {
  if (runtime.isDryRun()) return output(container);
  return container.id.apply(async (id) => {
    const problem = await limitProcesses(id, processes, daemonOfProvider());
    if (problem !== undefined && warns) await log.warn(problem, container);
    return container;
  });
}

/** @returns why the limit could not be set; undefined if it holds */
export async function limitProcesses(
  id: string,
  processes: number,
  docker: DockerClient | undefined,
): Promise<string | undefined> {
  if (docker === undefined)
    return `It has no limit of processes, because this program cannot reach the Docker daemon. Set it on that host: docker update --pids-limit ${processes} ${id.slice(0, 12)}`;
  const container = docker.getContainer(id);
  const found = await orUndefined(container.inspect());
  if (found === undefined || found.HostConfig.PidsLimit === processes) return undefined;
  const { PidsLimit: able = true, CgroupDriver: driver } = (await docker.info()) as {
    PidsLimit?: boolean;
    CgroupDriver?: string;
  };
  if (!able || driver === "none") return "It has no limit of processes, because this Docker daemon cannot set one.";
  await orUndefined(container.update({ PidsLimit: processes }));
  return undefined;
}
