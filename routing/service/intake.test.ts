import { afterEach, expect, test, vi } from "vitest";
import type { LiveSource } from "../sources/live-source.ts";
import { Intake } from "./intake.ts";
import { createMetrics } from "./metrics.ts";

const source: LiveSource = {
  name: "test",
  lateness: 0,
  start: () => {},
  pause: () => {},
  resume: () => {},
  stop: () => {},
};

afterEach(() => void vi.useRealTimers());

test("a message proves nothing after its own time: it may have waited behind a full buffer", async () => {
  const begin = Date.parse("2026-01-01T00:00:00Z");
  vi.useFakeTimers({ now: begin, toFake: ["Date"] });
  const intake = new Intake(source, createMetrics(), 1_000_000, () => {}, begin);
  intake.connected();
  vi.setSystemTime(begin + 60_000);
  const row = { prefix: "192.0.2.0/24", type: "W" as const, path: [], communities: "[]" };
  const common = { peerAsn: 64_500, monitor: null, service: "a|b", timestamp: "2026-01-01T00:00:10.5" };
  intake.message({ id: "one", parsed: [{ ...row, ...common }] });
  intake.lost("connection lost");
  intake.log.close();
  const entries = [];
  while (!intake.log.isEmpty) {
    entries.push(await intake.log.head(new AbortController().signal));
    intake.log.removeHead();
  }
  expect(entries).toMatchObject([
    { kind: "end", at: begin },
    { kind: "alive", provenAt: begin },
    { kind: "rows", provenAt: begin + 10_500 },
    { kind: "gap", at: begin + 10_500 },
  ]);
});

test("bounds the rows that AS sets make of one message", async () => {
  const metrics = createMetrics();
  const intake = new Intake(source, metrics, 1_073_741_824, () => {}, Date.now());
  const set = (first: number) => Array.from({ length: 10 }, (_, index) => first + index);
  const common = { timestamp: new Date().toISOString().slice(0, 23), peerAsn: 64_500, monitor: null, service: "a|b" };
  const parsed = Array.from({ length: 60 }, (_, index) => ({
    ...common,
    prefix: `192.0.2.${index}/32`,
    type: "A" as const,
    path: [64_500, set(100), set(200), set(300)],
    communities: "[]",
  }));
  intake.message({ id: "one", parsed });
  const { values } = await metrics.dropped.get();
  expect(values).toEqual([{ labels: { source: "test", reason: "the message has more than 50,000 rows" }, value: 10 }]);
});
