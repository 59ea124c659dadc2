import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import type Docker from "dockerode";
import { notUp, stackArgument } from "../foundation/command.ts";

/** The containers of a stack's service, also stopped ones. */
const containersOf = (docker: Docker, stack: string, service: string): Promise<Docker.ContainerInfo[]> => {
  const label = [`com.routeql.stack=${stack}`, `com.routeql.service=${service}`, "com.routeql.run=service"];
  return docker.listContainers({ all: true, filters: { label } });
};

const isRunning = ({ State }: Docker.ContainerInfo): boolean => State === "running";

/** The running container of a service that not every stack has; undefined without one. */
export async function optionalContainer(
  stack: string,
  service: string,
  docker = dockerClient(),
): Promise<Docker.Container | undefined> {
  const running = (await containersOf(docker, stack, service)).find(isRunning);
  return running && docker.getContainer(running.Id);
}

/** The running container of a stack's service. @throws Failure when no container runs */
export async function runningContainer(
  stack: string,
  service: string,
  docker = dockerClient(),
): Promise<Docker.Container> {
  const containers = await containersOf(docker, stack, service);
  const [found] = containers;
  if (found === undefined) throw notUp(stack);
  const running = containers.find(isRunning);
  if (running === undefined) {
    throw new Failure(`The service ${service} of the stack ${stack} does not run (it is ${found.State})`, {
      remedy: `run \`npm run up${stackArgument(stack)}\`: it repairs the stack.`,
    });
  }
  return docker.getContainer(running.Id);
}
