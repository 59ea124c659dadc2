import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Claim, Places, slice } from "./places.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const running = (places: Places, claim: Claim): Claim => {
  expect(places.take(claim)).toBeUndefined();
  return claim;
};

/** Takes a place for 1 ms. */
async function waitInLine(places: Places, client: string, hasPlace: () => void): Promise<void> {
  const claim = { client };
  await places.take(claim);
  hasPlace();
  setTimeout(() => places.give(claim), 1);
}

/** One place, taken by a claim of `first`, and the order in which named claims get it; each keeps it for 1 ms. */
function line(first: string) {
  const places = new Places(1);
  const order: string[] = [];
  const taken = running(places, { client: first });
  const add = (name: string, client: string): void => {
    void waitInLine(places, client, () => void order.push(name));
  };
  const drain = async (): Promise<string[]> => {
    places.give(taken);
    await vi.advanceTimersByTimeAsync(100);
    return order;
  };
  return { add, drain };
}

test("serves clients in turn, regardless of the number of claims per client", async () => {
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
  const places = new Places(1);
  const busy = running(places, { client: "busy" });
  vi.advanceTimersByTime(10_000);
  places.give(busy);
  const order: string[] = [];
  const taken = running(places, { client: "busy" });
  for (const [name, client] of [
    ["idle1", "idle"],
    ["idle2", "idle"],
    ["idle3", "idle"],
    ["busy1", "busy"],
  ] as const) {
    void waitInLine(places, client, () => void order.push(name));
  }
  places.give(taken);
  await vi.advanceTimersByTimeAsync(100);
  expect(order).toEqual(["idle1", "busy1", "idle2", "idle3"]);
});

test.each([
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [10, 8],
])("of %i places one client uses at most %i", (size, most) => {
  const places = new Places(size);
  for (let held = 0; held < most; held += 1) running(places, { client: "a" });
  expect(places.take({ client: "a" })).toBeInstanceOf(Promise);
  expect(places.waiting).toBe(1);
  if (most < size) running(places, { client: "b" });
});

test("an exempt claim needs no share", () => {
  const places = new Places(3);
  for (let held = 0; held < 2; held += 1) running(places, { client: "a" });
  running(places, { client: "a", isExempt: true });
});

test("waiting ends after the time limit, for a heavy claim after twice that time", async () => {
  const places = new Places(1, 1_000);
  running(places, { client: "a" });
  const waits = [places.take({ client: "b" }), places.take({ client: "b", isHeavy: true })];
  const ended: number[] = [];
  for (const wait of waits)
    void wait?.catch(({ code }: { code: string }) => ended.push(performance.now(), Number(code === "busy")));
  const start = performance.now();
  await vi.advanceTimersByTimeAsync(3_000);
  expect(ended).toEqual([start + 1_000, 1, start + 2_000, 1]);
  expect(places.waiting).toBe(0);
});

test("a heavy claim waits as long as all claims of its work may, and the error names that time", async () => {
  const places = new Places(1, 5_000);
  running(places, { client: "a" });
  const start = performance.now();
  const refused = places.take({ client: "b", isHeavy: true, waited: 4_000 })?.catch((error: unknown) => error);
  await vi.advanceTimersByTimeAsync(6_000);
  expect(await refused).toMatchObject({ code: "busy", reason: "wait", retryAfter: 10 });
  expect(performance.now() - start).toBe(6_000);
});

test("a cancelled claim leaves the queue", async () => {
  const places = new Places(1);
  const taken = running(places, { client: "a" });
  const leaving = new AbortController();
  const left = places.take({ client: "b" }, leaving.signal);
  const next = places.take({ client: "c" });
  leaving.abort(new Error("gone"));
  await expect(left).rejects.toThrow("gone");
  places.give(taken);
  await next;
  expect([places.free, places.waiting]).toEqual([0, 0]);
});

test("heavy claims of all clients together use at most a quarter of the places", () => {
  const places = new Places(10);
  for (let held = 0; held < 2; held += 1) running(places, { client: `client ${held}`, isHeavy: true });
  expect(places.take({ client: "another", isHeavy: true })).toBeInstanceOf(Promise);
  running(places, { client: "another" });
});

test("preempts the newest claim of the client with the most when too many are heavy", () => {
  const places = new Places(8);
  const ended: string[] = [];
  const start = (client: string, name: string): void =>
    void running(places, { client, preempt: () => ended.push(name) });
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

test("preempts no claim while few are heavy", () => {
  const places = new Places(8);
  const start = (client: string): Claim => running(places, { client, preempt: () => expect.unreachable() });
  start("one");
  start("one");
  vi.advanceTimersByTime(slice * 2);
  places.give(start("two"));
  void places.take({ client: "two", isHeavy: true });
  vi.advanceTimersByTime(slice * 2);
});

test("a heavy claim waits while as many as may run are heavy, and is never preempted", async () => {
  const places = new Places(8);
  const first = running(places, { client: "one", isHeavy: true });
  running(places, { client: "one", isHeavy: true });
  let hasPlace = false;
  void places.take({ client: "two", isHeavy: true })?.then(() => (hasPlace = true));
  const slow = running(places, { client: "two" });
  await vi.advanceTimersByTimeAsync(slice * 2);
  places.give(first);
  await vi.advanceTimersByTimeAsync(100);
  expect(hasPlace).toBe(false);
  places.give(slow);
  await vi.advanceTimersByTimeAsync(0);
  expect(hasPlace).toBe(true);
});
