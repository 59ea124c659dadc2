import { afterAll, beforeAll, expect, test } from "vitest";
import { type RunningSidecar, Stack } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1000", LOGIN_ATTEMPTS_PER_ADDRESS: "10000", LOG_LEVEL: "error" });
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const perGroup = 500;

test(
  "ASVS 6.3.8: an unknown user and a wrong password take the same time (Welch's t over 500 each, interleaved)",
  { timeout: 300_000 },
  async () => {
    const user = await stack.addUser();
    const attempts = {
      wrong: () => running.client.singleStep(user.email, "a wrong password", { address: "192.0.2.1" }),
      unknown: () => running.client.singleStep("nobody@example.net", "a wrong password", { address: "192.0.2.2" }),
    };
    const times = { wrong: [] as number[], unknown: [] as number[] };
    for (let warming = 0; warming < 20; warming++) for (const attempt of Object.values(attempts)) await attempt();
    for (let round = 0; round < perGroup; round++) {
      // Which of the two goes first changes at random, so that nothing periodic can side with one of them.
      const order = Math.random() < 0.5 ? (["wrong", "unknown"] as const) : (["unknown", "wrong"] as const);
      for (const kind of order) {
        const { status, milliseconds } = await attempts[kind]();
        expect(status).toBe(401);
        times[kind].push(milliseconds);
      }
    }
    const wrong = summary(times.wrong);
    const unknown = summary(times.unknown);
    const t = (wrong.mean - unknown.mean) / Math.sqrt(wrong.variance / wrong.count + unknown.variance / unknown.count);
    console.log(
      `wrong password ${wrong.mean.toFixed(2)} ms, unknown user ${unknown.mean.toFixed(2)} ms, Welch's t ${t.toFixed(2)}`,
    );
    // The threshold of leakage assessment (TVLA): a difference by chance is larger once in more than 100,000 runs.
    expect(Math.abs(t)).toBeLessThan(4.5);
  },
);

/** Mean and variance without the slowest twentieth, which is the machine's and not the login's. */
function summary(values: readonly number[]): { mean: number; variance: number; count: number } {
  const kept = [...values].sort((left, right) => left - right).slice(0, Math.ceil(values.length * 0.95));
  const mean = kept.reduce((sum, value) => sum + value, 0) / kept.length;
  const variance = kept.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (kept.length - 1);
  return { mean, variance, count: kept.length };
}
