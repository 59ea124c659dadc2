import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ids of the processes with `name=value` in their initial environment, except this one; none if the system does not show environments
 * below /proc.
 */
export function processesWith(name: string, value: string): number[] {
  const ids = read(() => readdirSync("/proc"), [])
    .filter((entry) => /^\d+$/.test(entry))
    .map(Number);
  const marked = `\0${name}=${value}\0`;
  return ids.filter(
    (id) => id !== process.pid && read(() => `\0${readFileSync(`/proc/${id}/environ`, "latin1")}`, "").includes(marked),
  );
}

/** A process may have exited, or belong to another user. */
function read<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

export interface Patience {
  /** Milliseconds in which they may exit by themselves, and again after each signal. */
  readonly each: number;
}

/**
 * Waits until no process with this variable runs: first without a signal, then after SIGTERM, then after SIGKILL.
 * @returns number of signalled processes
 */
export async function endProcessesWith(name: string, value: string, { each }: Patience): Promise<number> {
  const signalled = new Set<number>();
  for (const signal of [undefined, "SIGTERM", "SIGKILL"] as const) {
    if (signal !== undefined) {
      for (const id of processesWith(name, value)) {
        signalled.add(id);
        signalTo(id, signal);
      }
    }
    const deadline = performance.now() + each;
    while (processesWith(name, value).length > 0 && performance.now() < deadline) await sleep(100);
  }
  return signalled.size;
}

export function signalTo(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
