import type { Client } from "pg";
import { expect, test, vi } from "vitest";
import { runFeed } from "./feed.ts";
import { createMetrics } from "./metrics.ts";
import { Outage } from "./outage.ts";

/** Runs a feed whose database gives the lock of the source or not. @returns what `onActive` has been called with at `stop` */
function start(taken: boolean) {
  const attempts = vi.fn();
  const query = async (text: string): Promise<unknown> => {
    if (!text.includes("pg_try_advisory_lock")) return { rows: [], rowCount: 0 };
    attempts();
    return { rows: [{ taken }] };
  };
  const client = { query, end: async () => {}, connection: { stream: { destroy: () => {} } } };
  const source = {
    name: "exabgp-own",
    lateness: 0,
    start: () => {},
    pause: () => {},
    resume: () => {},
    stop: () => {},
  };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const states: boolean[] = [];
  const stopping = new AbortController();
  const running = runFeed(
    {
      source,
      connect: async () => client as unknown as Client,
      metrics: createMetrics(),
      bufferBytes: 1_000_000,
      log,
      outage: new Outage(log),
      onActive: (isActive) => void states.push(isActive),
    },
    stopping.signal,
  );
  const stop = async (): Promise<boolean[]> => {
    stopping.abort();
    await running;
    return states;
  };
  return { attempts, states, stop };
}

test("a replica is active while it has the lock of its source", async () => {
  const feed = start(true);
  await expect.poll(() => feed.states).toEqual([true]);
  expect(await feed.stop()).toEqual([true, false]);
});

test("a replica that waits for the lock is never active", async () => {
  const feed = start(false);
  await vi.waitUntil(() => feed.attempts.mock.calls.length > 0);
  expect(await feed.stop()).toEqual([false]);
});
