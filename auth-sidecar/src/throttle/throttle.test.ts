import { Redis } from "ioredis";
import { afterAll, expect, test } from "vitest";
import { TooManyRequests } from "../errors.ts";
import { Throttle } from "./throttle.ts";

// Never connected: all counts are in memory, as while Redis is unavailable.
const redis = new Redis({ lazyConnect: true });
afterAll(() => redis.disconnect());

const throttle = new Throttle(redis, {
  LOGIN_ATTEMPTS_PER_ACCOUNT: 3,
  LOGIN_ATTEMPTS_PER_ADDRESS: 5,
  LOGIN_WINDOW_SECONDS: 60,
});

async function outcomes(attempts: Promise<void>[]): Promise<string[]> {
  const results = await Promise.allSettled(attempts);
  return results.map((result) =>
    result.status === "fulfilled" ? "counted" : (result.reason as Error).constructor.name,
  );
}

test("concurrent failures pass up to the limit, and then a right password is rejected", async () => {
  const attempt = { account: "one", address: "192.0.2.1" };
  await throttle.check(attempt);
  const failures = await outcomes(Array.from({ length: 6 }, () => throttle.countFailure(attempt)));
  expect(failures).toEqual(["counted", "counted", "counted", "TooManyRequests", "TooManyRequests", "TooManyRequests"]);
  await expect(throttle.check(attempt)).rejects.toThrow(TooManyRequests);
});

test("failures over the limit of an account and address count for neither of them", async () => {
  const address = "192.0.2.2";
  await outcomes(Array.from({ length: 20 }, () => throttle.countFailure({ account: "two", address })));
  await expect(throttle.check({ account: "two", address: "192.0.2.3" })).resolves.toBeUndefined();
  expect(
    await outcomes(["three", "four", "five"].map((account) => throttle.countFailure({ account, address }))),
  ).toEqual(["counted", "counted", "TooManyRequests"]);
});

test("a success resets the account's count in memory, not the address's", async () => {
  const address = "192.0.2.4";
  const attempt = { account: "six", address };
  await outcomes([1, 2].map(() => throttle.countFailure(attempt)));
  await throttle.countSuccess(attempt);
  expect(await outcomes([1, 2, 3].map(() => throttle.countFailure(attempt)))).toEqual([
    "counted",
    "counted",
    "counted",
  ]);
  await expect(throttle.check({ account: "seven", address })).rejects.toThrow(TooManyRequests);
});
