import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { statusOf } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/logs";
import type { ContainerInputs } from "./inputs.ts";

const pollMilliseconds = 250;
/** Each check takes a tenth of a second of processor time, hence they come at longer and longer pauses. */
const mostPollMilliseconds = 2_000;
/** A container that ends sooner after its start is not caught in a moment in which its check would pass. */
const settlingMilliseconds = 1_000;
/** A check that takes longer has not passed. */
const checkMilliseconds = 5_000;
const standardWaitSeconds = 60;
/** A container that has been restarted this often is not going to come up by waiting. */
const restartsAreEnough = 5;

async function failure(container: Docker.Container, name: string, what: string): Promise<Error> {
  const lines = await lastLogLines(container, 30).catch(() => []);
  const log =
    lines.length === 0 ? "It has written no log." : `Its last log lines:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new Error(`container ${name} ${what}. ${log}`);
}

/** Whether a container's health check passes now. The engine's own first look comes an interval after the start. */
async function passesCheck(container: Docker.Container, [kind, ...command]: readonly string[], signal: AbortSignal): Promise<boolean> {
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
    // The engine says that it does not run, or cannot run a program now: it is about to end or to start again.
    if (statusOf(error) === undefined) throw error;
  }
  return false;
}

/**
 * Waits until the container is healthy, as the engine says or its check when run here (or until it runs, without a health check).
 * @throws Error with the container's last log lines when it exits, keeps restarting or takes longer than waitTimeout
 */
export async function waitUntilHealthy(container: Docker.Container, inputs: ContainerInputs, signal: AbortSignal): Promise<void> {
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
    if (state.Running && !state.Restarting && (health === undefined || health === "healthy" || health === "none")) return;
    if (state.Status === "exited" || state.Status === "dead") {
      throw await failure(container, inputs.name, `exited with code ${state.ExitCode} instead of getting healthy`);
    }
    if (restarts - restartsBefore >= restartsAreEnough) {
      throw await failure(container, inputs.name, `keeps exiting (last with code ${state.ExitCode}) instead of getting healthy`);
    }
    if (Date.now() > end) {
      const check = state.Health?.Log?.at(-1)?.Output?.trim();
      const said = check ? `; its health check says: ${check.slice(-500)}` : "";
      throw await failure(container, inputs.name, `is ${health ?? state.Status}, not healthy, after ${seconds} s${said}`);
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

/** Waits until a job's container has ended. */
export async function waitForExit(container: Docker.Container, signal: AbortSignal): Promise<number> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
  const ended = container.wait() as Promise<{ StatusCode: number }>;
  return (await Promise.race([ended, aborted])).StatusCode;
}
