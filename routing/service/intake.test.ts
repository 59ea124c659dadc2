import { expect, test } from "vitest";
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
