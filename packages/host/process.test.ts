import { expect, test } from "vitest";
import { lineSplitter, run, runToEnd } from "./process.ts";

test("splits a stream of chunks into whole lines, including the last one without a line break", () => {
  const lines: string[] = [];
  const splitter = lineSplitter((line) => lines.push(line));
  for (const chunk of ["on", "e\r\ntwo\n\nth", "ree"]) splitter.add(chunk);
  splitter.end();
  expect(lines).toEqual(["one", "two", "three"]);
});

test("reports a failed program with its exit code, last lines and remedy", async () => {
  await expect(run("sh", ["-c", "echo first; echo second >&2; exit 3"], { remedy: "try again" })).rejects.toMatchObject(
    {
      message: "sh -c echo first; echo second >&2; exit 3 ended with exit code 3",
      lastLines: ["first", "second"],
      remedy: "try again",
    },
  );
});

test("kills a program that exceeds its time, with all its children", async () => {
  const began = Date.now();
  await expect(runToEnd("sh", ["-c", "sleep 60 & sleep 60"], { timeoutMilliseconds: 300 })).rejects.toThrow(
    /exceeded its time limit of 0.3 s/,
  );
  expect(Date.now() - began).toBeLessThan(10_000);
});

test("forwards an abort once as the configured signal, and throws the reason", async () => {
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
