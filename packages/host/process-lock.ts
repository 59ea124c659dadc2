import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processFolder, startTimeOf } from "./process-facts.ts";

/** The holder of a lock. Another program may have received the process id since, so its start time counts too. */
interface Holder {
  readonly pid: number;
  readonly startTime: string;
  readonly what: string;
  readonly since: string;
}

async function livingHolder(path: string, folder: string): Promise<Holder | undefined> {
  // Absent, or empty because another process is writing it.
  const holder = await readFile(path, "utf8")
    .then((text) => JSON.parse(text) as Holder)
    .catch(() => undefined);
  return holder && (await startTimeOf(holder.pid, folder)) === holder.startTime ? holder : undefined;
}

export type Acquired = { readonly release: () => Promise<void> } | { readonly heldBy: string };

/** Acquires a lock, or describes its holder. A lock of an ended process is taken over. */
export async function tryLock(path: string, what: string, folder = processFolder): Promise<Acquired> {
  const mine: Holder = {
    pid: process.pid,
    startTime: (await startTimeOf(process.pid, folder)) ?? "",
    what,
    since: new Date().toISOString(),
  };
  const text = JSON.stringify(mine);
  const isMine = async () => (await readFile(path, "utf8").catch(() => undefined)) === text;
  await mkdir(dirname(path), { recursive: true });
  for (let attempt = 0; ; attempt++) {
    try {
      await writeFile(path, text, { flag: "wx", mode: 0o600 });
      // Processes that take over the same lock remove each other's; the last one keeps it.
      if (attempt > 0) await sleep(100);
      if (await isMine()) return { release: () => rm(path, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await livingHolder(path, folder);
    if (holder) return { heldBy: `${holder.what} (process ${holder.pid}, since ${holder.since})` };
    // Another process may be writing an empty file right now.
    if (attempt > 0) await rm(path, { force: true });
    else await sleep(100);
  }
}

/** Waits for the lock without a time limit, and prints its holder once. @param pause milliseconds between attempts */
export async function withLock<T>(
  path: string,
  what: string,
  say: (text: string) => void,
  work: () => Promise<T>,
  pause = 500,
): Promise<T> {
  let said = false;
  for (;;) {
    const acquired = await tryLock(path, what);
    if ("release" in acquired) {
      try {
        return await work();
      } finally {
        await acquired.release();
      }
    }
    if (!said) say(`waiting for ${acquired.heldBy}`);
    said = true;
    await sleep(pause);
  }
}
