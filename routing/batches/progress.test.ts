import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { describeStep, Progress } from "./progress.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("shows a share and the remaining time of each step", () => {
  expect(describeStep({ step: "reading", read: 1_500_000, refused: 2, share: 0.25 }, 10)).toBe(
    "1,500,000 read, 2 refused, 25 %, about 30 s left",
  );
  expect(describeStep({ step: "writing", rows: 20_000_000, done: 5_000_000 }, 100)).toBe(
    "5,000,000 of 20,000,000 rows written, 50,000 rows/s, 25 %, about 300 s left",
  );
});

test("shows no estimate without a known size", () => {
  expect(describeStep({ step: "reading", read: 10, refused: 0, share: undefined }, 10)).toBe("10 read, 0 refused");
  expect(describeStep({ step: "writing", rows: 10, done: 0 }, 1)).toBe("0 of 10 rows written, 0 rows/s");
});

test("says no remaining time for a step that only has to finish", () => {
  expect(describeStep({ step: "writing", rows: 400, done: 400 }, 20)).toBe(
    "400 of 400 rows written, 20 rows/s, finishing",
  );
  expect(describeStep({ step: "reading", read: 400, refused: 0, share: 1 }, 20)).toBe("400 read, 0 refused, finishing");
});

test("writes a line every ten seconds without a terminal, also during one statement", () => {
  const lines: string[] = [];
  const progress = new Progress(
    { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream,
    "updates.gz",
  );
  progress.show({ step: "writing", rows: 400, done: 100 });
  vi.advanceTimersByTime(20_000);
  progress[Symbol.dispose]();
  vi.advanceTimersByTime(20_000);
  expect(lines).toEqual([
    "updates.gz: 100 of 400 rows written, 10 rows/s, 25 %, about 30 s left, 10 s\n",
    "updates.gz: 100 of 400 rows written, 5 rows/s, 25 %, about 60 s left, 20 s\n",
  ]);
});
