import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Patience } from "./redis.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("reports a missing answer once, in less than half a second", async () => {
  const giveUp = vi.fn<() => void>();
  new Patience(giveUp).mind(Promise.withResolvers().promise);
  await vi.advanceTimersByTimeAsync(399);
  expect(giveUp).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(101);
  expect(giveUp).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(5000);
  expect(giveUp).toHaveBeenCalledOnce();
  expect(vi.getTimerCount()).toBe(0);
});

test("never reports answers that arrive or fail, under any load", async () => {
  const giveUp = vi.fn<() => void>();
  const patience = new Patience(giveUp);
  for (let round = 0; round < 50; round++) {
    const answer = Promise.withResolvers();
    patience.mind(answer.promise);
    patience.mind(Promise.resolve());
    patience.mind(Promise.reject(new Error("refused")));
    await vi.advanceTimersByTimeAsync(370);
    answer.resolve(undefined);
  }
  await vi.advanceTimersByTimeAsync(5000);
  expect(giveUp).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test("reports a missing answer among others, and then the next missing one", async () => {
  const giveUp = vi.fn<() => void>();
  const patience = new Patience(giveUp);
  for (const times of [1, 2]) {
    patience.mind(Promise.withResolvers().promise);
    for (let look = 0; look < 5; look++) {
      patience.mind(Promise.resolve());
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(giveUp).toHaveBeenCalledTimes(times);
  }
});

test("counts a pause of the process as one check", async () => {
  vi.useRealTimers();
  const giveUp = vi.fn<() => void>();
  const patience = new Patience(giveUp);
  const answer = Promise.withResolvers<void>();
  patience.mind(answer.promise);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  // Unread data is read after the timers.
  setImmediate(() => answer.resolve());
  await answer.promise;
  expect(giveUp).not.toHaveBeenCalled();
});
