import { expect, test } from "vitest";
import { lineSplitter, run, runToEnd } from "./process.ts";

test("a stream of chunks becomes whole lines, the last one without a line break included", () => {
  const lines: string[] = [];
  const splitter = lineSplitter((line) => lines.push(line));
  for (const chunk of ["on", "e\r\ntwo\n\nth", "ree"]) splitter.add(chunk);
  splitter.end();
  expect(lines).toEqual(["one", "two", "three"]);
});

test("a failed program is reported with its exit code, its last lines and what to do", async () => {
  await expect(run("sh", ["-c", "echo first; echo second >&2; exit 3"], { remedy: "try again" })).rejects.toMatchObject({
    message: "sh -c echo first; echo second >&2; exit 3 ended with exit code 3",
    lastLines: ["first", "second"],
    remedy: "try again",
  });
});

test("a program that takes too long is ended with all that it started", async () => {
  const began = Date.now();
  await expect(runToEnd("sh", ["-c", "sleep 60 & sleep 60"], { timeoutMilliseconds: 300 })).rejects.toThrow(
    /took longer than 0.3 s/,
  );
  expect(Date.now() - began).toBeLessThan(10_000);
});

test("an abort is passed on once as the signal asked for, and the reason is thrown", async () => {
  const controller = new AbortController();
  const script = "trap 'echo told; exit 7' INT; echo ready; while :; do sleep 0.05; done";
  const lines: string[] = [];
  const running = run("bash", ["-c", script], {
    signal: controller.signal,
    interruptWith: "SIGINT",
    onLine: (line) => {
      lines.push(line);
      if (line === "ready") controller.abort(new Error("Ctrl-C"));
    },
  });
  await expect(running).rejects.toThrow("Ctrl-C");
  expect(lines).toEqual(["ready", "told"]);
});

test("a program that does not exist is a clear failure", async () => {
  await expect(run("no-such-program", [])).rejects.toThrow(/no-such-program cannot be started/);
});
