import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "@pulumi/docker";
import { output, type Output, RunError, runtime } from "@pulumi/pulumi";
import { orUndefined } from "@routeql/host/docker/client";
import type { ServiceDescription } from "../../description/service.ts";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";

/** Seconds until a service must be healthy. */
export const readyWithin = 120;

/** Milliseconds since 1970. The provider has waited for containers that are created later. */
const begin = Date.now();

/**
 * Waits for a service that starts. The provider waits when it creates a container, but not when it starts a stopped one. A service may be
 * unhealthy on its way, such as the archive after a restore, until the database has a primary. One that is unhealthy at first, does not run or
 * starts again and again stops no update, which may be its repair.
 * @throws {RunError} if it does not become healthy
 */
export async function untilHealthy(
  { name, id }: { readonly name: string; readonly id: string },
  docker: DockerClient | undefined,
  { pause = 500, patience = readyWithin * 1000 } = {},
): Promise<void> {
  if (docker === undefined) return;
  const container = docker.getContainer(id);
  const deadline = Date.now() + patience;
  const first = await orUndefined(container.inspect());
  if (first === undefined || Date.parse(first.Created) > begin) return;
  for (let found: typeof first | undefined = first; ; found = await orUndefined(container.inspect())) {
    if (found === undefined || !found.State.Running || found.State.Restarting) return;
    if (found.RestartCount > first.RestartCount) return;
    const state = found.State.Health?.Status;
    if (state === "healthy" || (state !== "starting" && found === first)) return;
    if (Date.now() >= deadline)
      throw new RunError(`The ${name} started but did not become healthy. See its log: docker logs ${id.slice(0, 12)}`);
    await sleep(pause);
  }
}

/** The container, once a service with a health check that starts is healthy. */
export function onceHealthy(container: Container, { name, health }: ServiceDescription): Output<Container> {
  if (runtime.isDryRun() || health === undefined) return output(container);
  return container.id.apply(async (id) => {
    await untilHealthy({ name, id }, daemonOfProvider());
    return container;
  });
}
