import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { growthOver, payload } from "../../testing/growth.ts";
import { Watchdog } from "./source-connections.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("abandons overdue work once, and never work released in time", () => {
  const watchdog = new Watchdog(10_000);
  const [slow, quick, late] = [
    { abandon: vi.fn<() => void>() },
    { abandon: vi.fn<() => void>() },
    { abandon: vi.fn<() => void>() },
  ];
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

test("a limit of 0 abandons nothing", () => {
  const watchdog = new Watchdog(0);
  watchdog.watch({ abandon: () => expect.unreachable() });
  expect(vi.getTimerCount()).toBe(0);
});

test("later work keeps no released work alive, when only young objects are collected", async () => {
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
  // Of 40 MB in total.
  expect(growth).toBeLessThan(6_000_000);
});
