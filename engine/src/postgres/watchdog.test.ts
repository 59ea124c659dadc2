import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { growthOver, payload } from "../testing/heap.ts";
import { Watchdog } from "./watchdog.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("what takes longer than the limit is given up, once; what is released in time is not", () => {
  const watchdog = new Watchdog(10_000);
  const [slow, quick, late] = [{ abandon: vi.fn<() => void>() }, { abandon: vi.fn<() => void>() }, { abandon: vi.fn<() => void>() }];
  watchdog.watch(slow);
  watchdog.watch(quick);
  vi.advanceTimersByTime(9_000);
  watchdog.release(quick);
  watchdog.watch(late);
  vi.advanceTimersByTime(2_000);
  expect([slow, quick, late].map(({ abandon }) => abandon.mock.calls.length)).toEqual([1, 0, 0]);
  vi.advanceTimersByTime(30_000);
  expect([slow, quick, late].map(({ abandon }) => abandon.mock.calls.length)).toEqual([1, 0, 1]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a limit of 0 gives up nothing", () => {
  const watchdog = new Watchdog(0);
  watchdog.watch({ abandon: () => expect.unreachable() });
  expect(vi.getTimerCount()).toBe(0);
});

test("what was released is not kept alive by what follows, in a heap of which only the young part is collected", async () => {
  const watchdog = new Watchdog(10_000);
  const turn = () => ({ abandon: () => undefined, payload: payload() });
  let last = turn();
  watchdog.watch(last);
  const growth = await growthOver(5_000, () => {
    const next = turn();
    watchdog.watch(next);
    watchdog.release(last);
    last = next;
  });
  // Of 40 MB that were watched.
  expect(growth).toBeLessThan(6_000_000);
});
