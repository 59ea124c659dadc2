import { getEventListeners } from "node:events";
import type Docker from "dockerode";
import { expect, test } from "vitest";
import { waitForExit } from "./lifecycle.ts";

const ending = (wait: () => Promise<{ readonly StatusCode: number }>): Docker.Container =>
  ({ wait }) as unknown as Docker.Container;

test("waiting for a job leaves no listener at the signal of all jobs", async () => {
  const { signal } = new AbortController();
  expect(
    await waitForExit(
      ending(async () => ({ StatusCode: 3 })),
      signal,
    ),
  ).toBe(3);
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("waits for no job after a cancellation", async () => {
  const signal = AbortSignal.abort(new Error("the update was cancelled"));
  await expect(
    waitForExit(
      ending(() => new Promise(() => undefined)),
      signal,
    ),
  ).rejects.toThrow("cancelled");
});
