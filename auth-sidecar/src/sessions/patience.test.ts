import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Patience } from "./patience.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("an answer that does not come is given up once, in less than half a second; one that comes is not", async () => {
  const patience = new Patience();
  const [silent, answered, refused] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  patience.mind(Promise.withResolvers().promise, silent);
  patience.mind(Promise.resolve(), answered);
  patience.mind(Promise.reject(new Error("refused")), refused);
  await vi.advanceTimersByTimeAsync(399);
  expect(silent).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(101);
  expect(silent).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(5000);
  expect([silent, answered, refused].map(({ mock }) => mock.calls.length)).toEqual([1, 0, 0]);
  expect(vi.getTimerCount()).toBe(0);
});

test("time in which the process stood still is one look, however long it was", async () => {
  vi.useRealTimers();
  const patience = new Patience();
  const giveUp = vi.fn<() => void>();
  const answer = Promise.withResolvers<void>();
  patience.mind(answer.promise, giveUp);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
  // What lies there unread is read after the timers.
  setImmediate(() => answer.resolve());
  await answer.promise;
  expect(giveUp).not.toHaveBeenCalled();
});
