import { expect, test } from "vitest";
import { mustRun, run } from "./process.ts";

const node = process.execPath;

test("a finished process returns its code and both streams", async () => {
  const finished = await run(node, ["-e", "console.log('out'); console.error('err'); process.exitCode = 3"]);
  expect(finished).toEqual({ code: 3, stdout: "out\n", stderr: "err\n" });
});

test("input reaches the process and then ends", async () => {
  expect(await mustRun(node, ["-e", "process.stdin.pipe(process.stdout)"], { input: "text" })).toBe("text");
});

test("kills a process that exceeds its time limit", async () => {
  const { code } = await run(node, ["-e", "setInterval(() => {}, 1000)"], { timeout: 300 });
  expect(code).toBe(-1);
});

test("a failure shows the last lines of both streams", async () => {
  await expect(
    mustRun(node, ["-e", "console.log('what was done'); throw new Error('what went wrong')"]),
  ).rejects.toThrow(/what was done[^]*what went wrong/);
});

test("a program that does not exist is an error", async () => {
  await expect(run("no-such-program", [])).rejects.toThrow("ENOENT");
});
