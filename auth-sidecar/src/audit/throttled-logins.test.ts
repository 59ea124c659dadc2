import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { AuditEvent } from "./audit-trail.ts";
import { ThrottledLogins } from "./throttled-logins.ts";

const asThrottled = { outcome: "throttled", detail: { flow: "session", reason: "throttled" } } as const;
const login = { event: "login", provider: "local", requestId: "r1", detail: { flow: "session" } } as const;
let recorded: AuditEvent[];
let throttled: ThrottledLogins;

beforeEach(() => {
  vi.useFakeTimers();
  recorded = [];
  throttled = new ThrottledLogins({ recordRefusal: async (event) => void recorded.push(event) });
});

afterEach(() => vi.useRealTimers());

test("records the first at once and the number of the others each minute", async () => {
  const victim = { ...login, account: "a", address: "192.0.2.1" };
  for (let attempt = 0; attempt < 5; attempt++) await throttled.record(victim);
  await throttled.record({ ...victim, address: "192.0.2.2" });
  expect(recorded).toEqual([
    { ...victim, ...asThrottled },
    { ...victim, address: "192.0.2.2", ...asThrottled },
  ]);
  recorded.length = 0;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(recorded).toEqual([
    { ...victim, ...asThrottled, requestId: undefined, detail: { ...asThrottled.detail, further: 4 } },
  ]);
  await throttled.record(victim);
  expect(recorded[1], "the next one is a first one again").toEqual({ ...victim, ...asThrottled });
});

test("counts a thousand separately and the rest together without a name", async () => {
  for (let guess = 0; guess < 1500; guess++)
    await throttled.record({ ...login, account: `a${guess}`, address: "192.0.2.1" });
  await throttled.record({ ...login, account: "a7", address: "192.0.2.1" });
  expect(recorded).toHaveLength(1001);
  recorded.length = 0;
  await throttled.stop();
  expect(recorded.map(({ account, detail }) => ({ account, further: detail?.["further"] }))).toEqual([
    { account: "a7", further: 1 },
    { account: undefined, further: 499 },
  ]);
});

test("records nothing after the stop", async () => {
  await throttled.record({ ...login, account: "a", address: "192.0.2.1" });
  await throttled.record({ ...login, account: "a", address: "192.0.2.1" });
  await throttled.stop();
  expect(recorded).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(recorded).toHaveLength(2);
});
