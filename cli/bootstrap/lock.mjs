import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";

/** True while the process runs. A process of another user counts as running. */
function lives(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

/**
 * Runs `work` while no other process holds the lock. A second run waits and prints a message; it takes over the lock of a dead process.
 * @param {string} folder the folder that serves as the lock
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
    // The holder writes its id right after it creates the folder. A folder that stays without an id belongs to a killed run.
    withoutHolder = holder === 0 ? withoutHolder + 1 : 0;
    if (holder === 0 ? withoutHolder > 20 : !lives(holder)) {
      await rm(folder, { recursive: true, force: true });
      continue;
    }
    if (!said && holder !== 0)
      console.error(`Waiting for another run (process ${holder}) that installs the dependencies…`);
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
