import { expect, test } from "vitest";
import { identifyPeers, type NumberedUpdate, replay } from "./replay.ts";

const update = (timestamp: string, change: object = {}): NumberedUpdate => ({
  repetition: 0,
  update: {
    timestamp,
    prefix: "192.0.2.0/24",
    peerAsn: 64_496,
    monitor: null,
    type: "W",
    path: [],
    communities: "[]",
    service: "ripe-ris|rrc00",
    ...change,
  },
});

test("replays updates in the order of their times, faster than they were", async () => {
  const times = ["2026-01-01T00:01:40", "2026-01-01T00:00:00.5", "2026-01-01T00:00:00"];
  const began = performance.now();
  const batches: string[][] = [];
  for await (const batch of replay(
    times.map((time) => update(time)),
    1000,
    new AbortController().signal,
  ))
    batches.push(batch.map(({ update: { timestamp } }) => timestamp));
  expect(batches.flat()).toEqual(times.toReversed());
  expect(batches.length).toBeGreaterThan(1);
  expect(performance.now() - began).toBeGreaterThan(99);
});

test("ends with its signal", async () => {
  const end = new AbortController();
  const updates = [update("2026-01-01T00:00:00"), update("2026-01-02T00:00:00")];
  const all = async (): Promise<void> => {
    for await (const batch of replay(updates, 1, end.signal)) {
      expect(batch).toHaveLength(1);
      end.abort();
    }
  };
  await expect(all()).rejects.toThrow("aborted");
});

test("the AS of a monitor is the first one of most of its paths", () => {
  const of = (monitor: string, peerAsn: number | null) => update("2026-01-01T00:00:00", { monitor, peerAsn });
  const identified = identifyPeers([
    of("a", 2),
    of("a", null),
    of("a", 1),
    of("a", 2),
    of("b", null),
    of("c", 2),
    of("c", 1),
    of("c", null),
  ]);
  expect(identified.map(({ update: { peerAsn } }) => peerAsn)).toEqual([2, 2, 1, 2, null, 2, 1, 1]);
});
