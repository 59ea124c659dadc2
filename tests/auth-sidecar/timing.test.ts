import { hash } from "@node-rs/argon2";
import { afterAll, beforeAll, expect, test } from "vitest";
import { passwordHashParameters } from "@routeql/auth-sidecar/passwords/password-hash";
import { significant, timeDifference } from "../harness/figures/time-difference.ts";
import { type RunningSidecar, Stack } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar({
    LOGIN_ATTEMPTS_PER_ACCOUNT: "1000",
    LOGIN_ATTEMPTS_PER_ADDRESS: "10000",
    LOG_LEVEL: "error",
  });
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

test("ASVS 6.3.8: an unknown user and a wrong password take the same time", { timeout: 300_000 }, async () => {
  const user = await stack.addUser();
  const [wrong, unknown] = await times(500, [user.email, "nobody@example.net"]);
  const t = difference(wrong!, unknown!);
  console.log(`wrong password ${median(wrong!)}, unknown user ${median(unknown!)}, t ${t.toFixed(2)}`);
  expect(Math.abs(t)).toBeLessThan(significant);
});

test(
  "ASVS 6.3.8: a wrong password takes the same time for an outdated hash, within a tenth",
  { timeout: 120_000 },
  async () => {
    const user = await stack.addUser();
    const oldUser = await stack.addUser("viewer", {
      passwordHash: await hash("a password", { ...passwordHashParameters, memoryCost: 1024 }),
    });
    const [current, outdated] = await times(100, [user.email, oldUser.email]);
    console.log(`today's hash ${median(current!)}, outdated hash ${median(outdated!)}`);
    const scaled = (factor: number): number[] => current!.map((milliseconds) => milliseconds * factor);
    expect(difference(scaled(0.9), outdated!), "less by more than a tenth").toBeLessThan(significant);
    expect(difference(outdated!, scaled(1.1)), "more by more than a tenth").toBeLessThan(significant);
  },
);

/**
 * Durations of a number of attempts per name in milliseconds, each with a separate address. Their order is random, so that periodic load
 * affects all names alike.
 */
async function times(perName: number, names: readonly [string, string]): Promise<number[][]> {
  const attempt = (index: number) =>
    running.client.singleStep(names[index]!, "a wrong password", { address: `192.0.2.${index + 1}` });
  for (let warming = 0; warming < 20; warming++) for (const index of names.keys()) await attempt(index);
  const found: number[][] = names.map(() => []);
  for (let round = 0; round < perName; round++) {
    for (const index of Math.random() < 0.5 ? [0, 1] : [1, 0]) {
      const { status, milliseconds } = await attempt(index);
      expect(status).toBe(401);
      found[index]!.push(milliseconds);
    }
  }
  return found;
}

/** Without the slowest 5 %, which are noise of the machine. */
function difference(first: readonly number[], second: readonly number[]): number {
  return timeDifference(first, second, 0.05);
}

function median(values: readonly number[]): string {
  return `${values.toSorted((left, right) => left - right)[values.length / 2]!.toFixed(2)} ms`;
}
