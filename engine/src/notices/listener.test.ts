import { LibpqClient } from "@routeql/contract/connection/client";
import pg from "pg";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { leftBy } from "../testing/growth.ts";
import { Listener } from "./listener.ts";

/** The client's time limit: a statement without an answer fails then. */
const timeLimit = 5_000;
let isSilent: boolean;
let listener: Listener;
const [onUp, onProof, onDown] = [vi.fn<() => Promise<void>>(), vi.fn<() => Promise<void>>(), vi.fn()];

function query(this: pg.Client, text: string): unknown {
  if (isSilent)
    return new Promise((_resolve, reject) => {
      setTimeout(() => reject(new Error("Query read timeout")), timeLimit);
    });
  const [, payload] = /'(.*)'/.exec(text) ?? [];
  if (payload !== undefined) queueMicrotask(() => this.emit("notification", { payload }));
  return Promise.resolve();
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.clearAllMocks();
  isSilent = false;
  vi.spyOn(LibpqClient.prototype, "connect").mockReturnValue(Promise.resolve() as never);
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(query);
  vi.spyOn(pg.Client.prototype, "end").mockReturnValue(Promise.resolve() as never);
  for (const called of [onUp, onProof]) called.mockResolvedValue();
  listener = new Listener({}, { onUp, onProof, onDown, onNotice: () => undefined });
});

afterEach(async () => {
  await listener.stop();
  vi.useRealTimers();
});

test("survives a database that stops answering during a proof", async () => {
  const unhandled = vi.fn();
  process.on("unhandledRejection", unhandled);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(onProof).toHaveBeenCalledOnce();
  isSilent = true;
  await vi.advanceTimersByTimeAsync(35_000);
  expect(onDown).toHaveBeenCalled();
  isSilent = false;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(onUp).toHaveBeenCalledTimes(2);
  expect(unhandled).not.toHaveBeenCalled();
  process.off("unhandledRejection", unhandled);
});

test("connects again after a failed statement", async () => {
  await vi.advanceTimersByTimeAsync(0);
  listener.restart(Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" }));
  await vi.advanceTimersByTimeAsync(1_000);
  expect(onDown.mock.calls).toEqual([["57014"]]);
  expect(onUp).toHaveBeenCalledTimes(2);
});

test("keeps nothing of its rounds while a connection lasts", async () => {
  const rounds = async (): Promise<void> => {
    for (let hundred = 0; hundred < 20; hundred += 1) {
      await vi.advanceTimersByTimeAsync(3_000_000);
      vi.clearAllMocks();
    }
  };
  await rounds();
  // A race for each step of a round would leave 2 MB.
  expect(await leftBy(rounds)).toBeLessThan(500_000);
});
