import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { stackArgument } from "../foundation/command.ts";
import type { Deployment } from "../pulumi/recovery.ts";
import type { Problem, ServiceState } from "../status/report.ts";

type Running = Pick<ServiceState, "service" | "container" | "state">;

/** Names of the networks of a container. */
async function networksOf(container: string): Promise<readonly string[] | undefined> {
  const facts = await orUndefined(dockerClient().getContainer(container).inspect());
  return facts && Object.keys(facts.NetworkSettings.Networks);
}

/** Networks of the last update that a running container has left, or that a person removed: the services at their other ends do not answer. */
export async function lostNetworkProblems(
  stack: string,
  services: readonly Running[],
  { resources = [] }: Deployment,
  attached = networksOf,
): Promise<Problem[]> {
  const wanted = new Map(
    resources.flatMap(({ type, outputs }) =>
      type === "docker:index/container:Container" && Array.isArray(outputs?.["networksAdvanced"])
        ? [[outputs["name"], outputs["networksAdvanced"] as readonly { readonly name?: string }[]] as const]
        : [],
    ),
  );
  const problems = services
    .filter(({ state }) => state === "running")
    .map(async ({ service, container }): Promise<Problem[]> => {
      const found = await attached(container);
      const lost = (wanted.get(container) ?? []).flatMap(({ name }) =>
        name === undefined || found === undefined || found.includes(name) ? [] : [name],
      );
      if (lost.length === 0) return [];
      const reason = `is not connected to the network ${lost.join(", ")}`;
      return [{ subject: service, reason, next: `npm run up${stackArgument(stack)}` }];
    });
  return (await Promise.all(problems)).flat();
}
