import { hash } from "@node-rs/argon2";
import { expect, test, vi } from "vitest";
import { TooManyRequests } from "../errors.ts";
import { hashPassword } from "./password-hash.ts";
import { Passwords } from "./passwords.ts";

const passwords = new Passwords({ concurrency: 1, queue: 10 });

test("accepts a password for its own hash and nothing for an account without a hash", async () => {
  const own = await hashPassword("right");
  expect(await passwords.matches(own, "right")).toBe(true);
  expect(await passwords.matches(own, "wrong")).toBe(false);
  expect(await passwords.matches(null, "right")).toBe(false);
  expect(await passwords.matches(undefined, "")).toBe(false);
});

test.each([
  ["an account without a hash", undefined],
  ["one with an outdated hash", await hash("right", { algorithm: 2, memoryCost: 64, timeCost: 1, parallelism: 1 })],
  ["one with something else in its place", "$2b$10$abcdefghijklmnopqrstuv"],
])("%s takes the work of one with today's hash", async (_title, other) => {
  const own = await hashPassword("right");
  // The least processor time of five: other work of this process, such as a collection of garbage, adds to some of them.
  const work = async (passwordHash: string | undefined) => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const before = process.cpuUsage();
      await passwords.matches(passwordHash, "wrong");
      const { user, system } = process.cpuUsage(before);
      times.push(user + system);
    }
    return Math.min(...times);
  };
  await work(own);
  // Without the work the ratio would be near zero. The timing suite measures how close to one it is.
  expect((await work(other)) / (await work(own))).toBeGreaterThan(0.2);
});

test("renews only an outdated hash", async () => {
  expect(await passwords.renewed(await hashPassword("right"), "right")).toBeUndefined();
  expect(await passwords.renewed("$argon2i$v=19$m=8,t=1,p=1$c2FsdHNhbHQ$AAAA", "right")).toMatch(/^\$argon2id\$/);
});

test("limits running and waiting logins and rejects the rest", async () => {
  const bounded = new Passwords({ concurrency: 1, queue: 2 });
  const { promise, resolve } = Promise.withResolvers<void>();
  const logins = Array.from({ length: 8 }, () => bounded.admit(() => promise, "client"));
  resolve();
  const results = await Promise.allSettled(logins);
  expect(results.map(({ status }) => status)).toEqual([
    ...Array.from({ length: 6 }, () => "fulfilled"),
    "rejected",
    "rejected",
  ]);
});

test("rejects a login that waited more than two seconds", async () => {
  vi.useFakeTimers();
  try {
    const busy = new Passwords({ concurrency: 1, queue: 1 });
    const logins = Array.from({ length: 5 }, () => busy.admit(() => new Promise<void>(() => undefined), "client"));
    const refused = expect(logins[4]).rejects.toThrow(TooManyRequests);
    expect(busy.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(2000);
    expect(busy.waiting).toBe(0);
    await refused;
  } finally {
    vi.useRealTimers();
  }
});
