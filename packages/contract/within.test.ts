import { expect, test, vi } from "vitest";
import { within } from "./within.ts";

test("gives the result or the error of the work, and an error after the time", async () => {
  vi.useFakeTimers();
  try {
    await expect(within(1_000, Promise.resolve(1))).resolves.toBe(1);
    await expect(within(1_000, Promise.reject(new Error("refused")))).rejects.toThrow("refused");
    const { promise, reject } = Promise.withResolvers<void>();
    const late = expect(within(1_500, promise)).rejects.toThrow("no answer within 1.5 s");
    await vi.advanceTimersByTimeAsync(1_500);
    await late;
    // A later failure is no unhandled rejection.
    reject(new Error("too late"));
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
