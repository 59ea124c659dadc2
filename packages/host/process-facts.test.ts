import { createServer, type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { run } from "./process.ts";
import { commandLineOf, listenerByLsof, startTimeOf } from "./process-facts.ts";

/** As on macOS. */
const noProc = "/nowhere/proc";
const nobody = 4_194_303;
const has = (program: string): Promise<boolean> =>
  run("sh", ["-c", `command -v ${program}`]).then(
    () => true,
    () => false,
  );

test("a process has a start time and a command line, with /proc", async () => {
  expect(await startTimeOf(process.pid)).toMatch(/^\d+$/);
  expect(await commandLineOf(process.pid)).toContain("node");
  expect(await startTimeOf(nobody)).toBeUndefined();
  expect(await commandLineOf(nobody)).toBe("");
});

test("a process has a start time and a command line, without /proc", async (context) => {
  context.skip(!(await has("ps")), "there is no ps on this machine");
  expect(await startTimeOf(process.pid, noProc)).toMatch(/\d\d:\d\d:\d\d/);
  expect(await commandLineOf(process.pid, noProc)).toContain("node");
  expect(await startTimeOf(nobody, noProc)).toBeUndefined();
  expect(await commandLineOf(nobody, noProc)).toBe("");
});

test("finds the program on a port by lsof where /proc lacks it", async (context) => {
  context.skip(!(await has("lsof")), "there is no lsof on this machine");
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  expect(await listenerByLsof(port)).toContain(`(process ${process.pid})`);
  await new Promise((resolve) => server.close(resolve));
  expect(await listenerByLsof(port)).toBeUndefined();
});
