import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Ids of the processes that carry `name=value` in the environment they were started with, but for this one; none where the system does not
 * show environments below /proc.
 */
export function processesWith(name: string, value: string): number[] {
  const ids = read(() => readdirSync("/proc"), []).filter((entry) => /^\d+$/.test(entry)).map(Number);
  const marked = `\0${name}=${value}\0`;
  return ids.filter((id) => id !== process.pid && read(() => `\0${readFileSync(`/proc/${id}/environ`, "latin1")}`, "").includes(marked));
}

/** A process may have ended, or be another's. */
function read<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

export interface Patience {
  /** Milliseconds in which they may end by themselves, and again after each signal. */
  readonly each: number;
}

/**
 * Waits until no process with this in its environment runs: lets them end by themselves, then asks them to, then ends them.
 * @returns how many had to be signalled
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
