import { afterEach, expect, test, vi } from "vitest";
import { createLogger } from "../logging.ts";
import { type KeyCareParts, startKeyCare } from "./key-care.ts";

afterEach(() => {
  vi.useRealTimers();
});

function careWith(prepared: Promise<void>) {
  vi.useFakeTimers();
  const started: PromiseWithResolvers<string[]>[] = [];
  const retireExpired = (): Promise<string[]> => {
    const refresh = Promise.withResolvers<string[]>();
    started.push(refresh);
    return refresh.promise;
  };
  const parts = {
    rotation: { retireExpired },
    revocations: { refresh: async () => undefined },
    keyring: { refresh: async () => undefined, published: () => [{}], closed: () => [] },
    log: createLogger("silent"),
  };
  return { started, stop: startKeyCare(parts as unknown as KeyCareParts, 1000, prepared) };
}

test("skips a refresh while the previous one waits for the database", async () => {
  const { started, stop } = careWith(Promise.resolve());
  await vi.advanceTimersByTimeAsync(5000);
  expect(started).toHaveLength(1);
  started[0]!.reject(new Error("the database does not answer"));
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toHaveLength(2);
  stop();
  started[1]!.reject(new Error("the database does not answer"));
  await vi.advanceTimersByTimeAsync(5000);
  expect(started).toHaveLength(2);
});

test("does not refresh during the preparation, whose older result would replace a newer one", async () => {
  const { promise: prepared, resolve } = Promise.withResolvers<void>();
  const { started, stop } = careWith(prepared);
  await vi.advanceTimersByTimeAsync(5000);
  expect(started).toHaveLength(0);
  resolve();
  await vi.advanceTimersByTimeAsync(1000);
  expect(started).toHaveLength(1);
  stop();
});
