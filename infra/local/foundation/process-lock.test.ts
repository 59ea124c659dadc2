import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTimeOf, tryLock, withLock } from "./process-lock.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a held lock names its holder, a released one can be taken", async () => {
  const path = join(folder, "run.lock");
  const first = await tryLock(path, "npm run up");
  expect(await tryLock(path, "npm run down")).toEqual({ heldBy: expect.stringContaining(`npm run up (process ${process.pid}`) });
  if ("release" in first) await first.release();
  expect(await tryLock(path, "npm run down")).toHaveProperty("release");
});

test.each([
  ["of a process that has ended", { pid: 4_194_303, startTime: "1", what: "npm run up", since: "" }],
  ["of another process with the same id", { pid: process.pid, startTime: "1", what: "npm run up", since: "" }],
])("a lock %s is taken over", async (_title, holder) => {
  const path = join(folder, "run.lock");
  await writeFile(path, JSON.stringify(holder));
  expect(await tryLock(path, "npm run up")).toHaveProperty("release");
});

test("whoever waits for a lock says so once and goes on when it is free", async () => {
  const path = join(folder, "build.lock");
  const said: string[] = [];
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const first = withLock(
    path,
    "the first",
    () => undefined,
    async () => {
      await promise;
      order.push("first");
    },
  );
  while (!("heldBy" in (await tryLock(path, "probe")))) await new Promise((next) => setTimeout(next, 10));
  const second = withLock(
    path,
    "the second",
    (text) => said.push(text),
    async () => void order.push("second"),
  );
  setTimeout(resolve, 700);
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
  expect(said).toEqual([expect.stringContaining("waiting for the first")]);
});

test("a process has a start time, none has none", async () => {
  expect(await startTimeOf(process.pid)).toMatch(/^\d+$/);
  expect(await startTimeOf(4_194_303)).toBeUndefined();
});
