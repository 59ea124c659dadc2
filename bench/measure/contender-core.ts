/**
 * Figures by core: the contender has one core of its own and everything else, the load and the containers it uses, has the others. Work
 * of other processes then takes no more from one contender than from the next, and requests a second say what a core does.
 * @module
 */
import { execFileSync } from "node:child_process";
import { cpus } from "node:os";
import { dockerClient } from "@routeql/host/docker/client";

/** The core that a contender is started on. */
export const contenderCore = 0;

/** The `taskset` words that start a program on the contender's core; taskset replaces itself by the program. */
export const onContenderCore = ["taskset", "--cpu-list", String(contenderCore)] as const;

/** Keeps this process, and what it starts meanwhile, on the other cores. Throws on a machine with one core. */
export function leaveContenderCore(): Disposable {
  const others = otherCores();
  const before = /: (\S+)$/m.exec(taskset("--cpu-list", "--pid", String(process.pid)))?.[1] ?? `0-${cpus().length - 1}`;
  moveThisProcess(others);
  return { [Symbol.dispose]: () => moveThisProcess(before) };
}

/** Keeps a running container on the other cores. */
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
