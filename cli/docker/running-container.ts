import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import type Docker from "dockerode";
import { notUp, stackArgument } from "../foundation/command.ts";

/** The running container of a stack's service. @throws Failure when no container runs */
export async function runningContainer(
  stack: string,
  service: string,
  docker = dockerClient(),
): Promise<Docker.Container> {
  const label = [`com.routeql.stack=${stack}`, `com.routeql.service=${service}`, "com.routeql.run=service"];
  const containers = await docker.listContainers({ all: true, filters: { label } });
  const [found] = containers;
  if (found === undefined) throw notUp(stack);
  const running = containers.find(({ State }) => State === "running");
  if (running === undefined) {
    throw new Failure(`The service ${service} of the stack ${stack} does not run (it is ${found.State})`, {
      remedy: `run \`npm run up${stackArgument(stack)}\`: it repairs the stack.`,
    });
  }
  return docker.getContainer(running.Id);
}
