import { expect, test, vi } from "vitest";
import { TooManyRequests } from "./errors.ts";
import { BoundedQueue } from "./bounded-queue.ts";

function gate(): { promise: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

const queueOf = (concurrency: number, waiting: number, longestWaitMilliseconds = 10_000) =>
  new BoundedQueue({ concurrency, waiting, longestWaitMilliseconds });

test("no more run at one time than may, and the rest run in the order in which they came", async () => {
  const queue = queueOf(2, 10);
  const started: number[] = [];
  const gates = Array.from({ length: 4 }, gate);
  const jobs = gates.map(({ promise }, index) =>
    queue.run(async () => {
      started.push(index);
      await promise;
      return index;
    }),
  );
  expect(started).toEqual([0, 1]);
  expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 2, waiting: 2 });
  gates[1]!.open();
  await jobs[1];
  expect(started).toEqual([0, 1, 2]);
  for (const { open } of gates) open();
  expect(await Promise.all(jobs)).toEqual([0, 1, 2, 3]);
  expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 0, waiting: 0 });
});

test("what comes when the queue is full is refused and does not run", async () => {
  const queue = queueOf(1, 1);
  const { promise, open } = gate();
  const jobs = [queue.run(() => promise), queue.run(() => promise)];
  let ran = false;
  await expect(
    queue.run(async () => {
      ran = true;
    }),
  ).rejects.toThrow(TooManyRequests);
  expect(ran).toBe(false);
  open();
  await Promise.all(jobs);
});

test("a job that fails gives its place to the next", async () => {
  const queue = queueOf(1, 1);
  const failed = queue.run(() => Promise.reject(new Error("broken")));
  const next = queue.run(async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
  expect(queue.running).toBe(0);
});

test("a job that has waited too long is refused then and there and does not run; those behind it have their turn", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const queue = queueOf(1, 3, 1000);
    const { promise, open } = gate();
    const first = queue.run(() => promise);
    let ran = false;
    const late = queue.run(async () => {
      ran = true;
    });
    vi.advanceTimersByTime(999);
    const next = queue.run(async () => "next");
    expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 1, waiting: 2 });
    vi.advanceTimersByTime(1);
    await expect(late).rejects.toThrow(TooManyRequests);
    expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 1, waiting: 1 });
    open();
    await first;
    expect(await next).toBe("next");
    expect(ran).toBe(false);
    expect({ running: queue.running, waiting: queue.waiting }).toEqual({ running: 0, waiting: 0 });
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
