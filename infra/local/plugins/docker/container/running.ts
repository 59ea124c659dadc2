import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { lastLogLines } from "../../../docker/logs.ts";
import type { ContainerInputs } from "./inputs.ts";

const pollMilliseconds = 250;
const standardWaitSeconds = 60;
/** A container that has been restarted this often is not going to come up by waiting. */
const restartsAreEnough = 5;

async function failure(container: Docker.Container, name: string, what: string): Promise<Error> {
  const lines = await lastLogLines(container, 30).catch(() => []);
  const log =
    lines.length === 0 ? "It has written no log." : `Its last log lines:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new Error(`container ${name} ${what}. ${log}`);
}

/**
 * Waits until the container is healthy (or runs, without a health check).
 * @throws Error with the container's last log lines when it exits, keeps restarting or takes longer than waitTimeout
 */
export async function waitUntilHealthy(container: Docker.Container, inputs: ContainerInputs, signal: AbortSignal): Promise<void> {
  const seconds = inputs.waitTimeout ?? standardWaitSeconds;
  const end = Date.now() + seconds * 1000;
  const restartsBefore = (await container.inspect()).RestartCount;
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
    await sleep(pollMilliseconds);
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
