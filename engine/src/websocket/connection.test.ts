import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { onDeadline } from "./connection.ts";

const reached = vi.fn<() => void>();

beforeEach(() => {
  vi.useFakeTimers();
  reached.mockReset();
});

afterEach(() => {
  vi.useRealTimers();
});

test("fires exactly on time", () => {
  onDeadline(Date.now() + 5_000, Date.now, reached);
  vi.advanceTimersByTime(4_999);
  expect(reached).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(reached).toHaveBeenCalledTimes(1);
});

test("beyond the range of a timer, fires neither early nor never", () => {
  const month = 30 * 86_400_000;
  onDeadline(Date.now() + 2 * month, Date.now, reached);
  vi.advanceTimersByTime(2 * month - 1);
  expect(reached).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(reached).toHaveBeenCalledTimes(1);
});

test("waits again when the clock shows an earlier time", () => {
  let now = 0;
  onDeadline(1_000, () => now, reached);
  now = 600;
  vi.advanceTimersByTime(1_000);
  expect(reached).not.toHaveBeenCalled();
  now = 1_000;
  vi.advanceTimersByTime(400);
  expect(reached).toHaveBeenCalledTimes(1);
});

test("in the past fires immediately; at infinity or cancelled, never", () => {
  onDeadline(Date.now() - 1, Date.now, reached);
  vi.advanceTimersByTime(0);
  expect(reached).toHaveBeenCalledTimes(1);
  onDeadline(Infinity, Date.now, reached)();
  onDeadline(Date.now() + 10, Date.now, reached)();
  vi.advanceTimersByTime(10_000_000_000);
  expect(reached).toHaveBeenCalledTimes(1);
});
