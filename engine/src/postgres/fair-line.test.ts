import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FairLine, slice, type Claim } from "./fair-line.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A queue whose claims have names. */
function line(size: number) {
  const fair = new FairLine<string>(size);
  const claims = new Map<string, Claim>();
  const add = (name: string, claim: Claim): Claim => {
    claims.set(name, claim);
    fair.push(claim, name);
    return claim;
  };
  const drain = (): string[] => {
    const order: string[] = [];
    for (let name = fair.shift(); name !== undefined; name = fair.shift()) {
      order.push(name);
      vi.advanceTimersByTime(1);
      fair.leave(claims.get(name)!);
    }
    return order;
  };
  return { fair, add, drain };
}

const running = (fair: FairLine<string>, claim: Claim): Claim => {
  expect(fair.enter(claim)).toBe(true);
  return claim;
};

test("serves clients in turn, regardless of the number of claims per client", () => {
  const { add, drain } = line(1);
  for (let index = 0; index < 5; index += 1) add(`a${index}`, { client: "a" });
  add("b0", { client: "b" });
  add("c0", { client: "c" });
  expect(drain()).toEqual(["a0", "b0", "c0", "a1", "a2", "a3", "a4"]);
});

test("serves the client with the least used time first", () => {
  const { fair, add, drain } = line(1);
  const heavy = running(fair, { client: "heavy" });
  vi.advanceTimersByTime(300);
  for (const name of ["heavy1", "heavy2"]) add(name, { client: "heavy" });
  add("light1", { client: "light" });
  add("light2", { client: "light" });
  fair.leave(heavy);
  expect(drain()).toEqual(["light1", "light2", "heavy1", "heavy2"]);
});

test("an idle client gains no advance over others", () => {
  const { fair, add, drain } = line(1);
  const busy = running(fair, { client: "busy" });
  vi.advanceTimersByTime(10_000);
  fair.leave(busy);
  fair.leave(running(fair, { client: "busy" }));
  for (const name of ["idle1", "idle2", "idle3"]) add(name, { client: "idle" });
  add("busy1", { client: "busy" });
  expect(drain()).toEqual(["idle1", "busy1", "idle2", "idle3"]);
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [10, 8],
])("of %i connections one client uses at most %i", (size, most) => {
  const fair = new FairLine<string>(size);
  for (let held = 0; held < most; held += 1) running(fair, { client: "a" });
  expect(fair.enter({ client: "a" })).toBe(false);
  expect(fair.enter({ client: "a", isExempt: true })).toBe(true);
  expect(fair.enter({ client: "b" })).toBe(true);
});

test("heavy claims of all clients together use at most a quarter of the connections", () => {
  const fair = new FairLine<string>(10);
  for (let held = 0; held < 2; held += 1) running(fair, { client: `client ${held}`, isHeavy: true });
  expect(fair.enter({ client: "another", isHeavy: true })).toBe(false);
  expect(fair.enter({ client: "another" })).toBe(true);
});

test("ends the newest statement of the client with the most when too many are heavy", () => {
  const { fair } = line(8);
  const ended: string[] = [];
  const start = (client: string, name: string): void => void running(fair, { client, preempt: () => ended.push(name) });
  start("one", "one 1");
  start("two", "two 1");
  vi.advanceTimersByTime(10);
  start("two", "two 2");
  start("three", "three 1");
  vi.advanceTimersByTime(slice - 5);
  fair.preempt();
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(10);
  fair.preempt();
  expect(ended).toEqual(["two 2"]);
  fair.preempt();
  fair.preempt();
  expect(ended).toEqual(["two 2", "three 1"]);
});

test("ends no statement while few are heavy", () => {
  const { fair, add } = line(8);
  const start = (client: string): void => void running(fair, { client, preempt: () => expect.unreachable() });
  start("one");
  start("one");
  vi.advanceTimersByTime(slice * 2);
  expect(fair.isCrowded).toBe(false);
  start("two");
  expect(fair.isCrowded).toBe(true);
  add("heavy", { client: "two", isHeavy: true });
  fair.preempt();
});

test("a heavy claim waits while as many as may run are heavy, and is never ended", () => {
  const { fair } = line(8);
  const first = running(fair, { client: "one", isHeavy: true });
  running(fair, { client: "one", isHeavy: true });
  expect(fair.enter({ client: "two", isHeavy: true })).toBe(false);
  running(fair, { client: "two" });
  vi.advanceTimersByTime(slice * 2);
  fair.preempt();
  fair.leave(first);
  expect(fair.enter({ client: "two", isHeavy: true })).toBe(false);
});
