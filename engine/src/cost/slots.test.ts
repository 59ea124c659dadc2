import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Lease, Slots, slice } from "./slots.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const running = (slots: Slots, lease: Lease): Lease => {
  expect(slots.take(lease)).toBeUndefined();
  return lease;
};

/** Takes a slot for 1 ms. */
async function waitInLine(slots: Slots, client: string, hasSlot: () => void): Promise<void> {
  const lease = { client };
  await slots.take(lease);
  hasSlot();
  setTimeout(() => slots.give(lease), 1);
}

/** One slot, taken by a lease of `first`, and the order in which named leases get it; each keeps it for 1 ms. */
function line(first: string) {
  const slots = new Slots(1);
  const order: string[] = [];
  const taken = running(slots, { client: first });
  const add = (name: string, client: string): void => {
    void waitInLine(slots, client, () => void order.push(name));
  };
  const drain = async (): Promise<string[]> => {
    slots.give(taken);
    await vi.advanceTimersByTimeAsync(100);
    return order;
  };
  return { add, drain };
}

test("serves clients in turn, regardless of the number of leases per client", async () => {
  const { add, drain } = line("other");
  for (let index = 0; index < 5; index += 1) add(`a${index}`, "a");
  add("b0", "b");
  add("c0", "c");
  expect(await drain()).toEqual(["a0", "b0", "c0", "a1", "a2", "a3", "a4"]);
});

test("serves the client with the least used time first", async () => {
  const { add, drain } = line("heavy");
  vi.advanceTimersByTime(300);
  for (const name of ["heavy1", "heavy2"]) add(name, "heavy");
  add("light1", "light");
  add("light2", "light");
  expect(await drain()).toEqual(["light1", "light2", "heavy1", "heavy2"]);
});

test("an idle client gains no advance over others", async () => {
  const slots = new Slots(1);
  const busy = running(slots, { client: "busy" });
  vi.advanceTimersByTime(10_000);
  slots.give(busy);
  const order: string[] = [];
  const taken = running(slots, { client: "busy" });
  for (const [name, client] of [
    ["idle1", "idle"],
    ["idle2", "idle"],
    ["idle3", "idle"],
    ["busy1", "busy"],
  ] as const) {
    void waitInLine(slots, client, () => void order.push(name));
  }
  slots.give(taken);
  await vi.advanceTimersByTimeAsync(100);
  expect(order).toEqual(["idle1", "busy1", "idle2", "idle3"]);
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [10, 8],
])("of %i slots one client uses at most %i", (size, most) => {
  const slots = new Slots(size);
  for (let held = 0; held < most; held += 1) running(slots, { client: "a" });
  expect(slots.take({ client: "a" })).toBeInstanceOf(Promise);
  expect(slots.waiting).toBe(1);
  if (most < size) running(slots, { client: "b" });
});

test("an exempt lease needs no share", () => {
  const slots = new Slots(3);
  for (let held = 0; held < 2; held += 1) running(slots, { client: "a" });
  running(slots, { client: "a", isExempt: true });
});

test("waiting ends after the time limit, for a heavy lease after twice that time", async () => {
  const slots = new Slots(1, 1_000);
  running(slots, { client: "a" });
  const waits = [slots.take({ client: "b" }), slots.take({ client: "b", isHeavy: true })];
  const ended: number[] = [];
  for (const wait of waits)
    void wait?.catch(({ code }: { code: string }) => ended.push(performance.now(), Number(code === "busy")));
  const start = performance.now();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ended).toEqual([start + 1_000, 1, start + 2_000, 1]);
  expect(slots.waiting).toBe(0);
});

test("a heavy lease waits as long as all leases of its work may, and the error names that time", async () => {
  const slots = new Slots(1, 5_000);
  running(slots, { client: "a" });
  const start = performance.now();
  const refused = slots.take({ client: "b", isHeavy: true, waited: 4_000 })?.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await refused).toMatchObject({ code: "busy", reason: "wait", retryAfter: 10 });
  expect(performance.now() - start).toBe(6_000);
});

test("a cancelled lease leaves the queue", async () => {
  const slots = new Slots(1);
  const taken = running(slots, { client: "a" });
  const leaving = new AbortController();
  const left = slots.take({ client: "b" }, leaving.signal);
  const next = slots.take({ client: "c" });
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  slots.give(taken);
  await next;
  expect([slots.free, slots.waiting]).toEqual([0, 0]);
});

test("heavy leases of all clients together use at most a quarter of the slots", () => {
  const slots = new Slots(10);
  for (let held = 0; held < 2; held += 1) running(slots, { client: `client ${held}`, isHeavy: true });
  expect(slots.take({ client: "another", isHeavy: true })).toBeInstanceOf(Promise);
  running(slots, { client: "another" });
});

test("preempts the newest lease of the client with the most when too many are heavy", () => {
  const slots = new Slots(8);
  const ended: string[] = [];
  const start = (client: string, name: string): void =>
    void running(slots, { client, preempt: () => ended.push(name) });
  start("one", "one 1");
  start("two", "two 1");
  vi.advanceTimersByTime(10);
  start("two", "two 2");
  start("three", "three 1");
  vi.advanceTimersByTime(slice);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(100);
  expect(ended).toEqual(["two 2"]);
  vi.advanceTimersByTime(1_000);
  expect(ended).toEqual(["two 2", "three 1"]);
});

test("preempts no lease while few are heavy", () => {
  const slots = new Slots(8);
  const start = (client: string): Lease => running(slots, { client, preempt: () => expect.unreachable() });
  start("one");
  start("one");
  vi.advanceTimersByTime(slice * 2);
  slots.give(start("two"));
  void slots.take({ client: "two", isHeavy: true });
  vi.advanceTimersByTime(slice * 2);
});

test("a heavy lease waits while as many as may run are heavy, and is never preempted", async () => {
  const slots = new Slots(8);
  const first = running(slots, { client: "one", isHeavy: true });
  running(slots, { client: "one", isHeavy: true });
  let hasSlot = false;
  void slots.take({ client: "two", isHeavy: true })?.then(() => (hasSlot = true));
  const slow = running(slots, { client: "two" });
  await vi.advanceTimersByTimeAsync(slice * 2);
  slots.give(first);
  await vi.advanceTimersByTimeAsync(100);
  expect(hasSlot).toBe(false);
  slots.give(slow);
  await vi.advanceTimersByTimeAsync(0);
  expect(hasSlot).toBe(true);
});
