import { afterAll, beforeAll, expect, test } from "vitest";
import { significant, timeDifference } from "../harness/time-difference.ts";
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
  "ASVS 6.3.8: an unknown user and a wrong password take the same time (t over 500 each, interleaved)",
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
    // Without the slowest twentieth, which is the machine's and not the login's.
    const t = timeDifference(times.wrong, times.unknown, 0.05);
    const median = (values: readonly number[]): string => values.toSorted((left, right) => left - right)[perGroup / 2]!.toFixed(2);
    console.log(`wrong password ${median(times.wrong)} ms, unknown user ${median(times.unknown)} ms, t ${t.toFixed(2)}`);
    expect(Math.abs(t)).toBeLessThan(significant);
  },
);
