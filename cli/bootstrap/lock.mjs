import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** True while the process lives; one of another user counts as living. */
function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Runs `work` while no other process holds the lock; a second run waits and says so, a lock of a dead process is taken over.
 * @param {string} folder the folder that stands for the lock
 * @param {() => Promise<void>} work
 */
export async function withLock(folder, work) {
  let said = false;
  let withoutHolder = 0;
  for (;;) {
    try {
      await mkdir(folder);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = Number(await readFile(`${folder}/pid`, "utf8").catch(() => "0"));
    // The holder writes its id right after making the folder: a folder that stays without one was left by a killed run.
    withoutHolder = holder === 0 ? withoutHolder + 1 : 0;
    if (holder === 0 ? withoutHolder > 20 : !lives(holder)) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    if (!said && holder !== 0) console.error(`Waiting for another run (process ${holder}) that is bringing the dependencies…`);
    said = said || holder !== 0;
    await sleep(250);
  }
  try {
    await writeFile(`${folder}/pid`, String(process.pid));
    await work();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
