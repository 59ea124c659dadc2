import { expect, test, vi } from "vitest";
import { LightCancellation, type Cancellation } from "./cancellation.ts";

interface Source {
  readonly signal: Cancellation;
  readonly abort: (reason: Error) => void;
}

const sources: readonly (readonly [string, () => Source])[] = [
  [
    "an AbortController",
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: (reason) => controller.abort(reason) };
    },
  ],
  [
    "a light cancellation",
    () => {
      const signal = new LightCancellation();
      return { signal, abort: (reason) => signal.abort(reason) };
    },
  ],
];

test.each(sources)("%s notifies its listeners once, with its first reason", (_name, create) => {
  const { signal, abort } = create();
  const [listens, listenedOnce] = [vi.fn<() => void>(), vi.fn<() => void>()];
  signal.addEventListener("abort", listens);
  signal.addEventListener("abort", listenedOnce);
  signal.removeEventListener("abort", listenedOnce);
  expect(signal.aborted).toBe(false);
  expect(() => signal.throwIfAborted()).not.toThrow();
  abort(new Error("first"));
  abort(new Error("second"));
  expect(signal.aborted).toBe(true);
  expect(signal.reason).toEqual(new Error("first"));
  expect(() => signal.throwIfAborted()).toThrow("first");
  expect(listens).toHaveBeenCalledTimes(1);
  expect(listenedOnce).not.toHaveBeenCalled();
});
