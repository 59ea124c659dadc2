import { expect, test, vi } from "vitest";
import { TooManyRequests } from "./errors.ts";
import { BoundedQueue } from "./bounded-queue.ts";

function gate(): { promise: Promise<void>; open: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { promise, open: resolve };
}

const queueOf = (concurrency: number, waiting: number, longestWaitMilliseconds = 10_000) =>
  new BoundedQueue({ concurrency, waiting, longestWaitMilliseconds });

test("limits running jobs and runs the rest in their order", async () => {
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

test("rejects a job when the queue is full", async () => {
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

test("runs the next job after a failed one", async () => {
  const queue = queueOf(1, 1);
  const failed = queue.run(() => Promise.reject(new Error("broken")));
  const next = queue.run(async () => "done");
  await expect(failed).rejects.toThrow("broken");
  expect(await next).toBe("done");
  expect(queue.running).toBe(0);
});

test("rejects a job that has waited too long and runs the later ones", async () => {
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

test("serves clients in turn, independent of their numbers of jobs", async () => {
  const queue = queueOf(1, 10);
  const { promise, open } = gate();
  const order: string[] = [];
  const names: [name: string, client: string][] = [
    ["a1", "a"],
    ["a2", "a"],
    ["a3", "a"],
    ["b1", "b"],
    ["c1", "c"],
    ["b2", "b"],
  ];
  const jobs = [
    queue.run(() => promise, "a"),
    ...names.map(([name, client]) => queue.run(async () => void order.push(name), client)),
  ];
  open();
  await Promise.all(jobs);
  expect(order).toEqual(["b1", "c1", "a1", "b2", "a2", "a3"]);
});

test("a full queue rejects the last job of the client with the most, not another's first", async () => {
  const queue = queueOf(1, 3);
  const { promise, open } = gate();
  const hostile = Array.from({ length: 4 }, () =>
    queue
      .run(() => promise, "hostile")
      .then(
        () => "ran",
        () => "refused",
      ),
  );
  const other = queue.run(async () => "other", "other");
  await expect(queue.run(async () => "hostile", "hostile")).rejects.toThrow(TooManyRequests);
  open();
  expect(await other).toBe("other");
  expect(await Promise.all(hostile)).toEqual(["ran", "ran", "ran", "refused"]);
});

test("names a stall when no job ends, and too many requests otherwise", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    const stalled = (): Error => new Error("stalled");
    const queue = new BoundedQueue({ concurrency: 1, waiting: 1, longestWaitMilliseconds: 1_000, stalled });
    const hanging = gate();
    const first = queue.run(() => hanging.promise);
    const waiting = queue.run(async () => undefined).catch((error: unknown) => error);
    await expect(queue.run(async () => undefined)).rejects.toThrow(TooManyRequests);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await waiting).toMatchObject({ message: "stalled" });
    hanging.open();
    await first;
    const second = gate();
    const next = queue.run(() => second.promise);
    const late = queue.run(async () => undefined);
    await expect(queue.run(async () => undefined)).rejects.toThrow(TooManyRequests);
    second.open();
    await Promise.all([next, late]);
  } finally {
    vi.useRealTimers();
  }
});
