import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { beforeEach, expect, test } from "vitest";
import { endProcessesWith, processesWith } from "./processes.ts";

const name = "ROUTEQL_PROCESS_TEST";

/** A process with a marker in its environment that reports when it runs. */
async function marked(mark: string, script: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ["-e", `${script}; console.log("runs")`], {
    env: { ...process.env, [name]: mark },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

beforeEach((context) => {
  if (process.platform !== "linux") context.skip("only Linux shows the environment of processes below /proc");
});

test("finds exactly the processes with the marker in their environment", async () => {
  const mark = randomBytes(4).toString("hex");
  const child = await marked(mark, "setInterval(() => {}, 1000)");
  expect(processesWith(name, mark)).toEqual([child.pid]);
  expect(processesWith(name, mark.slice(1))).toEqual([]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(processesWith(name, mark)).toEqual([]);
});

test("does not signal a process that exits by itself", async () => {
  const mark = randomBytes(4).toString("hex");
  const ends = once(await marked(mark, "setTimeout(() => {}, 50)"), "exit");
  expect(await endProcessesWith(name, mark, { each: 30_000 })).toBe(0);
  expect(await ends).toEqual([0, null]);
});

test("stops a process that does not exit, and kills one that ignores the signal", async () => {
  const mark = randomBytes(4).toString("hex");
  const listens = once(await marked(mark, "setInterval(() => {}, 1000)"), "exit");
  const deaf = once(await marked(mark, "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"), "exit");
  expect(await endProcessesWith(name, mark, { each: 300 })).toBe(2);
  expect((await listens)[1]).toMatch(/^SIG(TERM|KILL)$/);
  expect(await deaf).toEqual([null, "SIGKILL"]);
});
