import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { tryLock, withLock } from "./process-lock.ts";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "routeql-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test("a held lock names its holder, a released one is available", async () => {
  const path = join(folder, "run.lock");
  const first = await tryLock(path, "npm run up");
  expect(await tryLock(path, "npm run down")).toEqual({
    heldBy: expect.stringContaining(`npm run up (process ${process.pid}`),
  });
  if ("release" in first) await first.release();
  expect(await tryLock(path, "npm run down")).toHaveProperty("release");
});

test("a held lock is also detected on a machine without /proc", async () => {
  const path = join(folder, "run.lock");
  await tryLock(path, "npm run up", "/nowhere/proc");
  expect(await tryLock(path, "npm run down", "/nowhere/proc")).toHaveProperty("heldBy");
});

test.each([
  ["of a process that has ended", { pid: 4_194_303, startTime: "1", what: "npm run up", since: "" }],
  ["of another process with the same id", { pid: process.pid, startTime: "1", what: "npm run up", since: "" }],
])("takes over a lock %s", async (_title, holder) => {
  const path = join(folder, "run.lock");
  await writeFile(path, JSON.stringify(holder));
  expect(await tryLock(path, "npm run up")).toHaveProperty("release");
});

test("one of several commands takes over a lock of an ended process", { repeats: 15 }, async () => {
  const path = join(folder, "run.lock");
  await writeFile(path, JSON.stringify({ pid: 4_194_303, startTime: "1", what: "npm run up", since: "" }));
  const acquired = await Promise.all(Array.from({ length: 8 }, (_command, index) => tryLock(path, `command ${index}`)));
  expect(acquired.filter((each) => "release" in each)).toHaveLength(1);
});

test("waits for a lock, prints that once, and continues when it is free", async () => {
  const path = join(folder, "build.lock");
  const said: string[] = [];
  const order: string[] = [];
  const inside = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const silent = (): void => undefined;
  const first = withLock(path, "the first", silent, async () => {
    inside.resolve();
    await release.promise;
    order.push("first");
  });
  await inside.promise;
  const say = (text: string): void => {
    said.push(text);
    // Long enough for another check of the lock.
    setTimeout(release.resolve, 700);
  };
  const second = withLock(path, "the second", say, async () => void order.push("second"));
  await Promise.all([first, second]);
  expect(order).toEqual(["first", "second"]);
  expect(said).toEqual([expect.stringContaining("waiting for the first")]);
});
