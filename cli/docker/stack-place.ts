import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import type { StackPlace } from "../place/stack-place.ts";
import { requireOwn } from "../ownership/ownership.ts";
import { dockerClaims } from "./claims.ts";
import { publishedAddress, publishesHere } from "./published-address.ts";
import { readDockerLogs } from "./read-logs.ts";
import { resourceUsage } from "./resource-usage.ts";
import { runJobAgain } from "./run-job.ts";
import { runningContainer } from "./running-container.ts";
import { dockerServiceStates } from "./service-states.ts";

/** A stack on the Docker daemon of this machine's context. Commands load only what they use, so that they start quickly. */
export function dockerPlace(stack: string): StackPlace {
  const owned = async (): Promise<void> => void (await requireOwn(stack, dockerClaims(stack)));
  return {
    target: "docker",
    requireOwn: owned,
    services: (signal) => dockerServiceStates(stack, signal),
    async logs(options, signal) {
      await owned();
      return readDockerLogs(stack, options, signal);
    },
    async enter(service) {
      await owned();
      const container = await runningContainer(stack, service);
      return (program, streams) => execute(container, program, streams);
    },
    openPrograms: async () => (await import("./client-programs.ts")).openProgramsOnDocker(stack),
    async runJob(job) {
      await owned();
      return runJobAgain(stack, job);
    },
    async archive() {
      await owned();
      return (await import("./archive.ts")).openArchive(stack);
    },
    async alerting() {
      await owned();
      return (await import("./alerting.ts")).openAlerting(stack);
    },
    async isStopped(service) {
      const container = await orUndefined(dockerClient().getContainer(`routeql-${stack}-${service}`).inspect());
      return container?.State.Running !== true;
    },
    publishedAddress: () => publishedAddress(stack),
    get mustAnswer() {
      return publishesHere();
    },
    facts: async (services, signal) => (await import("./place-facts.ts")).placeFacts(stack, services, signal),
    version: async () => ({ docker: await dockerClient().version() }),
    evidence: async () => [],
    resources: async () => ({ containers: await resourceUsage(stack) }),
  };
}
