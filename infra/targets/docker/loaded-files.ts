import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Container } from "@pulumi/docker";
import { all, output, type Output, RunError, runtime } from "@pulumi/pulumi";
import { isConflict, isNotFound, orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import type { ServiceDescription } from "../../description/service.ts";
import type { DeliveredFiles } from "./files.ts";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";

interface LoadingService {
  readonly name: string;
  /** Of its container. */
  readonly id: string;
  /** Its health check. */
  readonly command: readonly string[];
}

interface State {
  readonly Running: boolean;
  readonly Restarting?: boolean;
  readonly Paused?: boolean;
}

/** Why the daemon runs no program in a container, and what to do; undefined if that may end by itself. */
function stopped({ name, id }: LoadingService, state: State | undefined): string | undefined {
  if (state?.Paused === true) return `The ${name} is paused. Continue it: docker unpause ${id.slice(0, 12)}`;
  if (state?.Running === true || state?.Restarting === true) return undefined;
  return `The ${name} does not run, but the state does not know that. Start it again: npm run up, or pulumi up --refresh`;
}

/**
 * Waits until a service passes its health check with the delivered files, which may be the repair of one that restarts.
 * @param patience milliseconds @throws {RunError} if it rejects them or does not run
 */
export async function untilLoaded(
  service: LoadingService,
  docker: DockerClient | undefined,
  { pause = 500, patience = 30_000 } = {},
): Promise<void> {
  const { name, id, command } = service;
  if (docker === undefined) return;
  const container = docker.getContainer(id);
  const deadline = Date.now() + patience;
  const ignored = new PassThrough().resume();
  const state = async (): Promise<State | undefined> => (await orUndefined(container.inspect()))?.State;
  const passes = async (): Promise<boolean> => {
    try {
      return (await execute(container, command, { output: ignored, errors: ignored })) === 0;
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) throw error;
      const problem = stopped(service, await state());
      if (problem !== undefined) throw new RunError(problem);
      return false;
    }
  };
  while (!(await passes())) {
    if (Date.now() > deadline) {
      const problem =
        (await state())?.Restarting === true
          ? "fails when it starts, and Docker restarts it again and again"
          : "still serves its former files, because it rejects the new ones";
      throw new RunError(`The ${name} ${problem}. See its log: docker logs ${id.slice(0, 12)}`);
    }
    await sleep(pause);
  }
}

/** The container, once a service that loads changed files while it runs passes its health check with the delivered ones. */
export function withFilesLoaded(
  container: Container,
  { name, health, liveFiles }: ServiceDescription,
  files: DeliveredFiles | undefined,
): Output<Container> {
  if (runtime.isDryRun() || liveFiles === undefined || health?.kind !== "command" || files === undefined)
    return output(container);
  return all([container.id, files.carrier.id]).apply(async ([id]) => {
    await untilLoaded({ name, id, command: health.command }, daemonOfProvider());
    return container;
  });
}
