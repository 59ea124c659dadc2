import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { lastWords, passOn, unlessAborted } from "./program-streams.ts";

test("a source waits once for a slow target, regardless of buffered chunks, and then continues", async () => {
  const told: string[] = [];
  const source = { pause: () => told.push("pause"), resume: () => told.push("resume") };
  const written: (() => void)[] = [];
  const slow = new Writable({ highWaterMark: 1, write: (_chunk, _encoding, done) => written.push(done) });
  for (let chunk = 0; chunk < 30; chunk++) passOn(Buffer.from("ab"), slow, source);
  expect(told).toEqual(["pause"]);
  expect(slow.listenerCount("drain")).toBe(1);
  const drained = new Promise((resolve) => slow.once("drain", resolve));
  while (written.length > 0) {
    written.shift()!();
    await new Promise(setImmediate);
  }
  await drained;
  expect(told).toEqual(["pause", "resume"]);
});

test("keeps only the last lines of a program's output", () => {
  const { stream, lines } = lastWords();
  for (let line = 1; line <= 2000; line++) stream.write(`line ${line}\n`);
  expect(lines()).toEqual(Array.from({ length: 12 }, (_, index) => `line ${1989 + index}`));
});

test("aborted work rejects with the reason, and finished work returns its result", async () => {
  const stop = new AbortController();
  const endless = new Promise<string>(() => undefined);
  const ended = expect(unlessAborted(endless, stop.signal)).rejects.toThrow("enough");
  stop.abort(new Error("enough"));
  await ended;
  await expect(unlessAborted(endless, stop.signal)).rejects.toThrow("enough");
  expect(await unlessAborted(Promise.resolve("done"), new AbortController().signal)).toBe("done");
  expect(await unlessAborted(Promise.resolve("done"), undefined)).toBe("done");
});
