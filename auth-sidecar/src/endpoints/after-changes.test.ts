import { createServer } from "node:http";
import type { Response } from "express";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { AccountChanged, TooManyRequests } from "../errors.ts";
import { listen } from "../http/server.ts";
import { afterChanges } from "./after-changes.ts";

const now = (): number => Date.now() / 1000;

describe("with a client that stays", () => {
  const response = { destroyed: false, once: () => undefined, off: () => undefined } as unknown as Response;

  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000_400 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Fails once for each change, and then notes the time. */
  function issuing(...seconds: number[]) {
    const times: number[] = [];
    const issue = async (): Promise<void> => {
      times.push(now());
      const wait = seconds.shift();
      if (wait !== undefined) throw new AccountChanged(Math.floor(now()) + wait);
    };
    return { times, issue };
  }

  test("issues at once without a change", async () => {
    const { times, issue } = issuing();
    await afterChanges(1)(response, issue);
    expect(times).toEqual([1000.4]);
  });

  test("issues again from the start when tokens are accepted, also after a second change", async () => {
    const { times, issue } = issuing(3, 2);
    const issued = afterChanges(1)(response, issue);
    await vi.advanceTimersByTimeAsync(10_000);
    await issued;
    expect(times).toEqual([1000.4, 1003.001, 1005.001]);
  });

  test.each([
    [[8], [1000.4], 8],
    [[3, 3, 3], [1000.4, 1003.001, 1006.001], 3],
  ])("fails with the remaining seconds for a wait of more than seven seconds: %j", async (seconds, expected, rest) => {
    const { times, issue } = issuing(...seconds);
    const issued = afterChanges(1)(response, issue);
    const error = expect(issued).rejects.toMatchObject({ status: 503, reason: "accounts", retryAfterSeconds: rest });
    await vi.advanceTimersByTimeAsync(10_000);
    await error;
    expect(times).toEqual(expected);
  });

  test("passes other errors on", async () => {
    const error = new Error("another one");
    await expect(afterChanges(1)(response, () => Promise.reject(error))).rejects.toBe(error);
  });

  test("rejects a wait beyond the bound, and frees its place after the wait", async () => {
    const whenUsable = afterChanges(1);
    const first = whenUsable(response, issuing(3).issue);
    await vi.advanceTimersByTimeAsync(1);
    await expect(whenUsable(response, issuing(3).issue)).rejects.toThrow(TooManyRequests);
    await vi.advanceTimersByTimeAsync(3000);
    await first;
    const third = whenUsable(response, issuing(1).issue);
    await vi.advanceTimersByTimeAsync(3000);
    await third;
  });
});

test("ends the wait when the client leaves", async () => {
  const calls: number[] = [];
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const whenUsable = afterChanges(1);
  const leaving = new AbortController();
  const server = createServer((_request, response) => {
    const issue = async (): Promise<void> => {
      calls.push(now());
      setImmediate(() => leaving.abort());
      throw new AccountChanged(Math.ceil(now()) + 5);
    };
    void whenUsable(response as Response, issue).then(resolve);
  });
  const port = await listen(server, 0, "127.0.0.1");
  await expect(fetch(`http://127.0.0.1:${port}`, { signal: leaving.signal })).rejects.toThrow("aborted");
  await ended;
  expect(calls).toHaveLength(1);
  server.close();
});
