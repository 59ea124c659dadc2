import { afterEach, expect, test, vi } from "vitest";
import { type Phase, phase as resultPhase, runPhases } from "./phases.ts";

afterEach(() => void vi.restoreAllMocks());

const never = new AbortController().signal;

/** Lines that a running plan prints. A test worker has no terminal. */
async function printed(work: () => Promise<unknown>): Promise<string> {
  let text = "";
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, "write").mockImplementation((chunk) => {
      text += String(chunk);
      return true;
    });
  await work();
  vi.restoreAllMocks();
  return text;
}

const phase = (title: string, work: Phase["work"] = async () => "as told"): Phase => ({ title, work });

test("each phase prints its result and its duration", async () => {
  const record = vi.fn<(line: string) => void>();
  const log = vi.fn<(line: string) => void>();
  const times = await runPhases([phase("One"), [[phase("Two")], [phase("Three"), phase("Four")]]], {
    signal: never,
    record,
    log,
  });
  expect(times.map(({ title }) => title).toSorted()).toEqual(["Four", "One", "Three", "Two"]);
  expect(log.mock.calls.flat()).toEqual(expect.arrayContaining(["One…", expect.stringMatching(/^Four: as told \[\d/)]));
});

test("starts no phase after the failure of a parallel phase", async () => {
  const record = vi.fn<(line: string) => void>();
  const slow = phase(
    "Slow",
    ({ signal }) =>
      new Promise((resolve) => signal.addEventListener("abort", () => void setTimeout(resolve, 20, "ended"))),
  );
  const plan = [
    [
      [phase("Failing", () => new Promise((_, reject) => void setTimeout(reject, 20, new Error("the reason"))))],
      [slow, phase("Next")],
    ],
  ];
  await printed(() => expect(runPhases(plan, { signal: never, record })).rejects.toThrow("the reason"));
  await new Promise((wake) => setTimeout(wake, 50));
  expect(record.mock.calls.flat()).toContain("[Slow] begins");
  expect(record.mock.calls.flat()).not.toContain("[Next] begins");
});

test("throws a phase's error once without printing it, and aborts the phases beside it", async () => {
  const beside = phase(
    "Beside",
    ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted")))),
  );
  const failing = phase("Failing", () => Promise.reject(new Error("the reason")));
  const plan = [[[phase("Before"), failing], [beside]], phase("Never")];
  const text = await printed(() =>
    expect(runPhases(plan, { signal: never, record: () => undefined })).rejects.toThrow("the reason"),
  );
  expect(text).toContain("Failing: failed");
  expect(text).not.toMatch(/the reason|aborted|Never/);
});

test("a phase hands its result to later phases, and has none before its end", async () => {
  const first = resultPhase("First", async () => [7, "seven"] as const);
  const second = resultPhase("Second", async () => [first.result + 1, ""] as const);
  expect(() => first.result).toThrow("the phase First has no result yet");
  const log = vi.fn<(line: string) => void>();
  await runPhases([[[first]], second], { signal: never, record: () => undefined, log });
  expect(second.result).toBe(8);
  expect(log.mock.calls.flat()).toContainEqual(expect.stringMatching(/^First: seven \[/));
});
