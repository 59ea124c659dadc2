import type Docker from "dockerode";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { lastLogLines } from "@routeql/host/docker/output";
import type { Execute } from "@routeql/host/program-streams";
import { askInside } from "../status/health-detail.ts";
import { metricFacts } from "../status/service-metrics.ts";
import { daemonAbilities } from "./daemon/daemon-facts.ts";
import type { ServiceState } from "../status/report.ts";

export async function dockerServiceStates(stack: string, signal: AbortSignal): Promise<ServiceState[]> {
  const docker = dockerClient();
  const containers = await docker.listContainers({
    all: true,
    filters: { label: [`com.routeql.stack=${stack}`, "com.routeql.service"] },
  });
  const limitable = !(await daemonAbilities()).ignored.includes("processes");
  const states = await Promise.all(
    containers
      .filter(({ Labels }) => Labels["com.routeql.run"] === "service" || Labels["com.routeql.run"] === "job")
      .map(async ({ Id }) => {
        const container = docker.getContainer(Id);
        const facts = await orUndefined(container.inspect());
        return facts === undefined ? [] : [await stateOf(container, facts, { signal, limitable })];
      }),
  );
  return states.flat();
}

async function stateOf(
  container: Docker.Container,
  facts: Docker.ContainerInspectInfo,
  { signal, limitable }: { readonly signal: AbortSignal; readonly limitable: boolean },
): Promise<ServiceState> {
  const { State: state, Config: config, Name: name, RestartCount: restarts } = facts;
  const service = config.Labels["com.routeql.service"] ?? "";
  const kind = config.Labels["com.routeql.run"] === "job" ? "job" : "service";
  const health = state.Health?.Status;
  const run: Execute = (program, streams) => execute(container, program, streams);
  const metrics = state.Running && !state.Paused ? await metricFacts(service, run, signal) : {};
  const isHealth = health === "healthy" || health === "unhealthy" || health === "starting";
  return {
    service,
    container: name.slice(1),
    kind,
    state: state.Status,
    health: isHealth && state.Running ? health : undefined,
    exitCode: state.Running ? undefined : state.ExitCode,
    image: config.Image,
    user: config.User,
    restarts,
    unlimitedProcesses: state.Running && kind === "service" && limitable && !(facts.HostConfig.PidsLimit ?? 0),
    since: sinceOf(state.Running ? state.StartedAt : state.FinishedAt),
    detail: await detailOf(container, facts, service, signal),
    ...metrics,
  };
}

/** The daemon reports the year 1 for a container that never ran. */
const sinceOf = (time: string): string | undefined => (time.startsWith("0001-") ? undefined : time);

async function detailOf(
  container: Docker.Container,
  { State: state }: Docker.ContainerInspectInfo,
  service: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (state.OOMKilled) return "it exceeded its memory limit";
  if (state.Error !== "") return state.Error;
  if (state.Running && !state.Paused && state.Health?.Status !== "healthy") {
    const answer = await askInside(service, (program, streams) => execute(container, program, streams), signal);
    return answer ?? (state.Health?.Log.at(-1)?.Output.trim().split("\n").at(-1) || undefined);
  }
  if (state.Running || state.ExitCode === 0) return undefined;
  return lastReason(await lastLogLines(container, 20));
}

/** The last line of a log that is not that of a request, as services write it for each one. */
export const lastReason = (lines: readonly string[]): string | undefined =>
  lines.findLast((line) => !/^\{.*"request_?id":/i.test(line))?.slice(0, 300);
