/**
 * Measurements per core. The contender has its own core; the load generator and the containers have the others. So work of other
 * processes affects all contenders equally, and requests per second show the capacity of one core.
 * @module
 */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { dockerClient } from "@routeql/host/docker/client";

/** The contender's core. */
export const contenderCore = 0;

/** The `taskset` command that starts a program on the contender's core; the program replaces taskset. */
export const onContenderCore = ["taskset", "--cpu-list", String(contenderCore)] as const;

/** Moves this process, and its later child processes, to the other cores. Throws on a machine with one core. */
export function leaveContenderCore(): Disposable {
  const others = otherCores();
  const before = /: (\S+)$/m.exec(taskset("--cpu-list", "--pid", String(process.pid)))?.[1] ?? `0-${cpus().length - 1}`;
  moveThisProcess(others);
  return { [Symbol.dispose]: () => moveThisProcess(before) };
}

/** Moves a running container to the other cores. */
export async function confine(container: { getId(): string }): Promise<void> {
  await dockerClient().getContainer(container.getId()).update({ CpusetCpus: otherCores() });
}

function otherCores(): string {
  const last = cpus().length - 1;
  if (last < 1) throw new Error("figures by core need a machine with two cores");
  return `1-${last}`;
}

function moveThisProcess(cores: string): void {
  taskset("--all-tasks", "--cpu-list", "--pid", cores, String(process.pid));
}

function taskset(...words: string[]): string {
  return execFileSync("taskset", words, { encoding: "utf8" });
}
