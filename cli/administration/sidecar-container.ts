import type Docker from "dockerode";
import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";

const upCommand = (stack: string): string => `npm run up${stack === "local" ? "" : ` -- --stack ${stack}`}`;

function containersOf(stack: string, docker: Docker): Promise<Docker.ContainerInfo[]> {
  const label = [`com.routeql.stack=${stack}`, "com.routeql.service=auth-sidecar", "com.routeql.run=service"];
  return docker.listContainers({ all: true, filters: { label } });
}

/**
 * The running container of a stack's auth sidecar.
 * @throws Failure when no container runs
 */
export async function sidecarContainer(stack: string, docker = dockerClient()): Promise<Docker.Container> {
  const containers = await containersOf(stack, docker);
  const [found] = containers;
  if (found === undefined) throw new Failure(`The stack ${stack} is not up`, { remedy: `run \`${upCommand(stack)}\`.` });
  const running = containers.find(({ State }) => State === "running");
  if (running === undefined) {
    throw new Failure(`The auth sidecar of the stack ${stack} does not run (it is ${found.State})`, {
      remedy: `run \`${upCommand(stack)}\`: it repairs the stack.`,
    });
  }
  return docker.getContainer(running.Id);
}
