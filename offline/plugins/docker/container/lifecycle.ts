import { setTimeout as sleep } from "node:timers/promises";
import { dockerClient, isConflict, isNotFound, orUndefined, statusOf } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/output";
import { unlessAborted } from "@routeql/host/program-streams";
import type Docker from "dockerode";
import type { ContainerInputs } from "./inputs.ts";

const pollMilliseconds = 250;
/** Each check takes a tenth of a second of processor time, so the pauses between checks grow. */
const mostPollMilliseconds = 2_000;
/** Minimum run time before a health check counts, because a container that exits early could pass one check. */
const settlingMilliseconds = 1_000;
const checkMilliseconds = 5_000;
const standardWaitSeconds = 60;
/** After this many restarts further waiting does not help. */
const restartsAreEnough = 5;

async function failure(container: Docker.Container, name: string, what: string): Promise<Error> {
  const lines = await lastLogLines(container, 30).catch(() => []);
  const log =
    lines.length === 0 ? "Its log is empty." : `Its last log lines:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new Error(`container ${name} ${what}. ${log}`);
}

/** Runs the container's health check now. The daemon's own first check runs one interval after the start. */
async function passesCheck(
  container: Docker.Container,
  [kind, ...command]: readonly string[],
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const execution = await container.exec({ Cmd: kind === "CMD-SHELL" ? ["/bin/sh", "-c", ...command] : command });
    await execution.start({ Detach: true });
    for (const end = Date.now() + checkMilliseconds; Date.now() < end; await sleep(50)) {
      signal.throwIfAborted();
      const { Running: running, ExitCode: code } = await execution.inspect();
      if (!running && code !== null) return code === 0;
    }
  } catch (error) {
    signal.throwIfAborted();
    // The daemon reports that the container is stopped, or cannot run a program in it: it is about to exit or restart.
    if (statusOf(error) === undefined) throw error;
  }
  return false;
}

/** Waits until the container is healthy, or runs if it has no check. @throws Error with its last log lines if it ends or is late */
export async function waitUntilHealthy(
  container: Docker.Container,
  inputs: ContainerInputs,
  signal: AbortSignal,
): Promise<void> {
  const seconds = inputs.waitTimeout ?? standardWaitSeconds;
  const end = Date.now() + seconds * 1000;
  const restartsBefore = (await container.inspect()).RestartCount;
  const tests = inputs.healthcheck?.tests;
  let pause = pollMilliseconds;
  let startedAt = "";
  let settledAt = 0;
  for (;;) {
    signal.throwIfAborted();
    const { State: state, RestartCount: restarts } = await container.inspect();
    const health = state.Health?.Status;
    if (state.Running && !state.Restarting && (health === undefined || health === "healthy" || health === "none"))
      return;
    if (state.Status === "exited" || state.Status === "dead") {
      throw await failure(container, inputs.name, `exited with code ${state.ExitCode} instead of becoming healthy`);
    }
    if (restarts - restartsBefore >= restartsAreEnough) {
      throw await failure(
        container,
        inputs.name,
        `keeps exiting (last with code ${state.ExitCode}) instead of becoming healthy`,
      );
    }
    if (Date.now() > end) {
      const check = state.Health?.Log?.at(-1)?.Output?.trim();
      const output = check ? `; output of its health check: ${check.slice(-500)}` : "";
      throw await failure(
        container,
        inputs.name,
        `is ${health ?? state.Status}, not healthy, after ${seconds} s${output}`,
      );
    }
    if (state.StartedAt !== startedAt) {
      startedAt = state.StartedAt;
      settledAt = Date.now() + settlingMilliseconds;
    }
    if (tests && state.Running && !state.Restarting && Date.now() >= settledAt) {
      if (await passesCheck(container, tests, signal)) return;
      pause = Math.min(pause * 1.5, mostPollMilliseconds);
    }
    await sleep(pause);
  }
}

export async function waitForExit(container: Docker.Container, signal: AbortSignal): Promise<number> {
  const ended = container.wait() as Promise<{ StatusCode: number }>;
  return (await unlessAborted(ended, signal)).StatusCode;
}

const docker = dockerClient();

/** Stops a container within this number of seconds; succeeds if it is stopped or removed. */
export async function stopContainer(id: string, graceSeconds: number): Promise<void> {
  try {
    await docker.getContainer(id).stop({ t: graceSeconds });
  } catch (error) {
    // Status 304 (already stopped) is an error for the client library.
    if (!isNotFound(error) && statusOf(error) !== 304) throw error;
  }
}

/** Stops a container within its grace time and removes it; succeeds if it is already removed. */
export async function removeContainer(id: string, inputs: Pick<ContainerInputs, "destroyGraceSeconds">): Promise<void> {
  const container = docker.getContainer(id);
  const info = await orUndefined(container.inspect());
  if (!info) return;
  if (info.State.Running && inputs.destroyGraceSeconds) await stopContainer(id, inputs.destroyGraceSeconds);
  const gone = container.wait({ condition: "removed" }).catch(() => undefined);
  try {
    await container.remove({ force: true, v: true });
  } catch (error) {
    if (isNotFound(error)) return;
    if (!isConflict(error)) throw error;
    // Another process is removing it.
    await gone;
  }
}
