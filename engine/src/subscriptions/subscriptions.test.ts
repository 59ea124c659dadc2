import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { LiveQuery, PollAnswer } from "../engine.ts";
import { busy, databaseLost, EngineError, errorReply } from "../errors.ts";
import { type ChangeObserver, switchedOff } from "../notices/observation.ts";
import type { Delivery, Listener } from "../executor.ts";
import { createSubscriptions, type Subscriptions, type SubscriptionsOptions } from "./subscriptions.ts";

type Poll = SubscriptionsOptions["engine"]["poll"];

const interval = 1_000;
const poll = vi.fn<Poll>();
const release = vi.fn<(cohortKey: string) => void>();
const onMissed = vi.fn<() => void>();
/** Of the cohort that subscribed last. */
let observer: ChangeObserver;
const observeInTest: SubscriptionsOptions["engine"]["observe"] = (_key, given) => {
  observer = given;
  return switchedOff;
};
let subscriptions: Subscriptions;
let rows: Record<string, string>;

const answered = (text: string): PollAnswer => ({ text, failed: false, empty: false });
const live = (parameter: string, cohortKey = "cohort", client = "client"): LiveQuery => ({
  kind: "live",
  cohortKey,
  parameters: [parameter],
  client,
});

function listener(): Listener & { readonly heard: string[]; ready: boolean } {
  const heard: string[] = [];
  return {
    heard,
    ready: true,
    deliver: ({ text }: Delivery) => void heard.push(text),
    refuse: ({ message }) => void heard.push(`refused: ${message}`),
    lose: () => void heard.push("lost"),
    isReady: () => true,
  };
}

function start(options: Partial<SubscriptionsOptions> = {}): Subscriptions {
  return createSubscriptions({
    engine: { poll, release, observe: observeInTest },
    interval,
    batchSize: 100,
    onPoll: () => undefined,
    onError: () => undefined,
    onMissed,
    ...options,
  });
}

function subscribed(query: LiveQuery): ReturnType<typeof listener> {
  const one = listener();
  subscriptions.subscribe(query, one);
  return one;
}

/** Cohort and members of each poll so far. */
const asked = () => poll.mock.calls.map(([cohortKey, members]) => [cohortKey, members]);
const settle = (milliseconds = 0): Promise<unknown> => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  rows = { a: "a1", b: "b1" };
  poll
    .mockReset()
    .mockImplementation((_key, members) =>
      Promise.resolve(members.map(([name]) => answered(rows[String(name)] ?? "none"))),
    );
  release.mockReset();
  onMissed.mockReset();
  subscriptions = start();
});

afterEach(() => {
  subscriptions.stop();
  vi.useRealTimers();
});

describe("live queries", () => {
  test("are answered immediately, and then only when the answer changes", async () => {
    const one = subscribed(live("a"));
    await settle();
    expect(one.heard).toEqual(["a1"]);
    await settle(interval * 3);
    expect(one.heard).toEqual(["a1"]);
    rows["a"] = "a2";
    await settle(interval);
    expect(one.heard).toEqual(["a1", "a2"]);
  });

  test("that are equal are polled once, and all receive the answer", async () => {
    const listeners = Array.from({ length: 50 }, listener);
    for (const one of listeners) subscriptions.subscribe(live("a"), one);
    await settle();
    expect(asked()).toEqual([["cohort", [["a"]]]]);
    rows["a"] = "a2";
    await settle(interval);
    expect(poll).toHaveBeenCalledTimes(2);
    for (const { heard } of listeners) expect(heard).toEqual(["a1", "a2"]);
    expect(subscriptions.figures()).toEqual({ cohorts: 1, members: 1, subscribers: 50 });
  });

  test("of one cohort share a statement, each with its own answer", async () => {
    const [one, two] = [subscribed(live("a")), subscribed(live("b"))];
    await settle();
    expect(asked()).toEqual([["cohort", [["a"], ["b"]]]]);
    rows["b"] = "b2";
    await settle(interval);
    expect([one.heard, two.heard]).toEqual([["a1"], ["b1", "b2"]]);
  });

  test("are split into statements of at most the batch size", async () => {
    subscriptions.stop();
    subscriptions = start({ batchSize: 2 });
    for (let index = 0; index < 5; index += 1) subscriptions.subscribe(live(String(index)), listener());
    await settle();
    expect(poll.mock.calls.map(([, members]) => members.length)).toEqual([2, 2, 1]);
  });

  test("are polled by at most the allowed number of statements", async () => {
    subscriptions.stop();
    subscriptions = start({ batchSize: 1, concurrentPolls: 2 });
    let running = 0;
    let most = 0;
    poll.mockImplementation(async (_key, members) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((done) => setTimeout(done, 10));
      running -= 1;
      return members.map(() => answered("x"));
    });
    for (let index = 0; index < 7; index += 1)
      subscriptions.subscribe(live(String(index), "cohort", `client ${index}`), listener());
    await settle(100);
    expect(most).toBe(2);
    expect(poll).toHaveBeenCalledTimes(7);
  });

  test("a later subscriber gets a fresh answer immediately, not a cached one", async () => {
    const one = subscribed(live("a"));
    await settle(interval / 2);
    rows["a"] = "a2";
    const two = subscribed(live("a"));
    await settle();
    expect(two.heard).toEqual(["a2"]);
    expect(one.heard).toEqual(["a1", "a2"]);
  });

  test("a subscriber that arrives during a statement is answered by the next one", async () => {
    const pending = Promise.withResolvers<readonly PollAnswer[]>();
    poll.mockReturnValueOnce(pending.promise);
    const one = subscribed(live("a"));
    await settle();
    const two = subscribed(live("a"));
    rows["a"] = "new";
    pending.resolve([answered("old")]);
    await settle();
    expect(two.heard).toEqual(["new"]);
    expect(one.heard).toEqual(["old", "new"]);
  });

  test("drops an answer that arrives after a newer one", async () => {
    const slow = Promise.withResolvers<readonly PollAnswer[]>();
    const one = subscribed(live("a"));
    await settle();
    poll.mockReturnValueOnce(slow.promise);
    await settle(interval);
    rows["a"] = "newer";
    const two = subscribed(live("a"));
    await settle();
    slow.resolve([answered("older")]);
    await settle();
    expect(one.heard).toEqual(["a1", "newer"]);
    expect(two.heard).toEqual(["newer"]);
  });

  test("are not polled without listeners", async () => {
    const first = subscriptions.subscribe(live("a"), listener());
    const second = subscriptions.subscribe(live("a"), listener());
    await settle();
    first.stop();
    first.stop();
    expect(release).not.toHaveBeenCalled();
    second.stop();
    expect(release.mock.calls).toEqual([["cohort"]]);
    poll.mockClear();
    await settle(interval * 5);
    expect(poll).not.toHaveBeenCalled();
    expect(subscriptions.figures()).toEqual({ cohorts: 0, members: 0, subscribers: 0 });
  });

  test("a stopped one receives nothing more, even from a running poll", async () => {
    const pending = Promise.withResolvers<readonly PollAnswer[]>();
    poll.mockReturnValueOnce(pending.promise);
    const [one, two] = [listener(), listener()];
    const stopping = subscriptions.subscribe(live("a"), one);
    subscriptions.subscribe(live("a"), two);
    await settle();
    stopping.stop();
    pending.resolve([answered("x")]);
    await settle();
    expect([one.heard, two.heard]).toEqual([[], ["x"]]);
  });

  test("of different cohorts are polled separately", async () => {
    subscriptions.subscribe(live("a", "one"), listener());
    subscriptions.subscribe(live("a", "two"), listener());
    await settle();
    expect(poll.mock.calls.map(([key]) => key).toSorted()).toEqual(["one", "two"]);
  });

  test("reports a failing poll once, and its recovery", async () => {
    const one = subscribed(live("a"));
    await settle();
    poll.mockRejectedValue(new EngineError({ code: "postgres-error", message: "no connection" }));
    await settle(interval * 3);
    expect(one.heard).toEqual(["a1", expect.stringContaining("no connection")]);
    poll.mockImplementation((_key, members) => Promise.resolve(members.map(() => answered("a1"))));
    await settle(interval);
    expect(one.heard.at(-1)).toBe("a1");
    expect(one.heard).toHaveLength(3);
  });

  test("rejects one whose first poll fails through its own fault, and keeps one that fails later", async () => {
    const [good, bad] = [listener(), listener()];
    const fault = new EngineError({ code: "data-exception", message: "bad value" });
    const failed: PollAnswer = { text: "failed", failed: true, empty: false, fault };
    rows["good"] = "g1";
    poll.mockImplementation((_key, members) =>
      Promise.resolve(members.map(([name]) => (name === "bad" ? failed : answered(rows[String(name)] ?? "")))),
    );
    subscriptions.subscribe(live("good"), good);
    subscriptions.subscribe(live("bad"), bad);
    await settle();
    expect([good.heard, bad.heard]).toEqual([["g1"], ["refused: bad value"]]);
    poll.mockImplementation((_key, members) => Promise.resolve(members.map(() => failed)));
    await settle(interval);
    expect(good.heard).toEqual(["g1", "failed"]);
  });

  test("distinguishes long answers too", async () => {
    const one = listener();
    rows["a"] = "x".repeat(100_000);
    subscriptions.subscribe(live("a"), one);
    await settle(interval);
    expect(one.heard).toHaveLength(1);
    rows["a"] = `${"x".repeat(99_999)}y`;
    await settle(interval);
    expect(one.heard).toHaveLength(2);
  });

  test.each(["the last one stops", "everything is stopped"])(
    "cancels a running poll when %s, without an error in the log",
    async (when) => {
      const onError = vi.fn<SubscriptionsOptions["onError"]>();
      subscriptions = start({ onError });
      poll.mockImplementation(
        (_key, _members, { signal } = {}) =>
          new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason))),
      );
      const [one, two] = [listener(), listener()];
      const first = subscriptions.subscribe(live("a"), one);
      const second = subscriptions.subscribe(live("b"), two);
      await settle();
      const signal = poll.mock.lastCall?.[2]?.signal;
      first.stop();
      expect(signal?.aborted).toBe(false);
      if (when === "the last one stops") second.stop();
      else subscriptions.stop();
      expect(signal?.aborted).toBe(true);
      await settle(interval * 3);
      expect([one.heard, two.heard]).toEqual([[], []]);
      expect(onError).not.toHaveBeenCalled();
      expect(poll).toHaveBeenCalledTimes(1);
    },
  );

  test("polls nothing after stop", async () => {
    subscriptions.subscribe(live("a"), listener());
    subscriptions.stop();
    await settle(interval * 3);
    expect(poll).not.toHaveBeenCalled();
  });
});

describe("streams", () => {
  const stream = (cursor: number): LiveQuery => ({
    kind: "stream",
    cohortKey: "stream",
    parameters: [cursor],
    client: "client",
  });
  let events: number[];

  beforeEach(() => {
    events = [1, 2, 3];
    poll.mockImplementation((_key, members) =>
      Promise.resolve(
        members.map(([cursor]) => {
          const found = events.filter((event) => event > Number(cursor)).slice(0, 2);
          const next = found.at(-1);
          return next === undefined
            ? { text: "[]", failed: false, empty: true }
            : { ...answered(JSON.stringify(found)), empty: false, nextParameters: [next] };
        }),
      ),
    );
  });

  test("send each row once, in batches, and nothing without rows", async () => {
    const one = subscribed(stream(0));
    await settle();
    expect(one.heard).toEqual(["[1,2]"]);
    await settle(interval);
    expect(one.heard).toEqual(["[1,2]", "[3]"]);
    await settle(interval * 3);
    expect(one.heard).toHaveLength(2);
    events.push(4);
    await settle(interval);
    expect(one.heard.at(-1)).toBe("[4]");
  });

  test("are rejected when the first poll fails through its own fault, not when a later one does", async () => {
    const fault = new EngineError({ code: "data-exception", message: "bad value" });
    const [later, first] = [listener(), listener()];
    subscriptions.subscribe(stream(3), later);
    await settle();
    poll.mockImplementation((_key, members) =>
      Promise.resolve(members.map(() => ({ text: "failed", failed: true, empty: false, fault }))),
    );
    subscriptions.subscribe(stream(3), first);
    await settle(interval);
    expect([later.heard, first.heard]).toEqual([["failed"], ["refused: bad value"]]);
  });

  test("at the same cursor share a member", async () => {
    const [one, two] = [subscribed(stream(1)), subscribed(stream(2))];
    await settle(interval);
    poll.mockClear();
    events.push(4);
    await settle(interval);
    expect(asked()).toEqual([["stream", [[3]]]]);
    expect([one.heard.at(-1), two.heard.at(-1)]).toEqual(["[4]", "[4]"]);
  });

  test("that arrive together, and those that arrive meanwhile, share statements", async () => {
    const answers = [listener(), listener(), listener(), listener()];
    const pending = Promise.withResolvers<readonly PollAnswer[]>();
    poll.mockReturnValueOnce(pending.promise);
    subscriptions.subscribe(stream(0), answers[0] ?? listener());
    subscriptions.subscribe(stream(1), answers[1] ?? listener());
    await settle();
    subscriptions.subscribe(stream(2), answers[2] ?? listener());
    subscriptions.subscribe(stream(3), answers[3] ?? listener());
    await settle();
    expect(asked()).toEqual([["stream", [[0], [1]]]]);
    pending.resolve([answered("[1]"), answered("[2]")]);
    await settle();
    expect(asked().slice(1)).toEqual([["stream", [[2], [3]]]]);
    expect(answers.map(({ heard }) => heard)).toEqual([["[1]"], ["[2]"], ["[3]"], []]);
  });

  test("that disconnect while they wait for their turn are not polled", async () => {
    subscriptions = start({ concurrentPolls: 1 });
    const pending = Promise.withResolvers<readonly PollAnswer[]>();
    poll.mockReturnValueOnce(pending.promise);
    subscriptions.subscribe(live("a"), listener());
    await settle();
    const leaving = subscriptions.subscribe(stream(0), listener());
    const staying = subscribed(stream(1));
    await settle();
    leaving.stop();
    pending.resolve([answered("a1")]);
    await settle();
    expect(asked().slice(1)).toEqual([["stream", [[1]]]]);
    expect(staying.heard).toEqual(["[2,3]"]);
  });

  test("wait for a client that is not ready, and then miss nothing", async () => {
    const one = { ...listener(), isReady: () => ready };
    let ready = true;
    subscriptions.subscribe(stream(0), one);
    await settle();
    ready = false;
    await settle(interval * 3);
    expect(one.heard).toEqual(["[1,2]"]);
    ready = true;
    await settle(interval);
    expect(one.heard).toEqual(["[1,2]", "[3]"]);
  });

  test("keep their cursor through a failing poll, which is reported once", async () => {
    const one = subscribed(stream(2));
    await settle();
    const working = poll.getMockImplementation() as Poll;
    poll.mockRejectedValue(new EngineError({ code: "postgres-error", message: "no connection" }));
    await settle(interval * 3);
    events.push(4);
    poll.mockImplementation(working);
    await settle(interval);
    expect(one.heard).toEqual(["[3]", expect.stringContaining("no connection"), "[4]"]);
  });

  test("have an interval of their own", async () => {
    subscriptions.stop();
    subscriptions = start({ streamInterval: 100 });
    const one = subscribed(stream(0));
    await settle(100);
    expect(one.heard).toEqual(["[1,2]", "[3]"]);
  });

  test("are not polled without readers", async () => {
    const subscription = subscriptions.subscribe(stream(0), listener());
    await settle();
    subscription.stop();
    expect(release.mock.calls).toEqual([["stream"]]);
    poll.mockClear();
    await settle(interval * 3);
    expect(poll).not.toHaveBeenCalled();
  });
});

describe("a poll that the engine is too busy for", () => {
  const busyError = new EngineError({ code: "busy", message: "the server is busy" });
  const kinds = [
    ["a live query", live("a")],
    ["a stream", { ...live("a"), kind: "stream" }],
  ] as const;

  test.each(kinds)("sends nothing to %s, which continues", async (_kind, query) => {
    const one = subscribed(query);
    await settle();
    const before = [...one.heard];
    expect(before).toHaveLength(1);
    for (let count = 0; count < 5; count += 1) poll.mockRejectedValueOnce(busyError);
    await settle(5 * interval);
    expect(one.heard).toEqual(before);
    poll.mockResolvedValueOnce([answered("again")]);
    await settle(interval);
    expect(one.heard).toEqual([...before, "again"]);
  });

  test.each(kinds)("ends %s with the error when it is repeated, also before the first answer", async (_kind, query) => {
    poll.mockReset().mockRejectedValue(busyError);
    const one = subscribed(query);
    await settle(4 * interval);
    expect(one.heard).toEqual([]);
    await settle(interval);
    expect(one.heard[0]).toBe("refused: the server is busy");
  });
});

describe("a database that does not answer", () => {
  const lost = databaseLost(new Error("closed"), "closed");
  const kinds = [
    ["a live query", live("a")],
    ["a stream", { ...live("a"), kind: "stream" }],
  ] as const;

  test.each(kinds)(
    "is not seen by %s if it returns soon, and later is an answer that does not end it",
    async (_kind, query) => {
      const one = subscribed(query);
      await settle();
      const before = [...one.heard];
      poll.mockReset().mockRejectedValue(lost);
      await settle(5 * interval);
      expect(one.heard).toEqual(before);
      await settle(3 * interval);
      expect(one.heard).toEqual([...before, errorReply(lost)]);
      poll.mockReset().mockResolvedValueOnce([answered("again")]);
      await settle(interval);
      expect(one.heard.at(-1)).toBe("again");
    },
  );

  test("is not seen by a live query that others subscribe to meanwhile", async () => {
    const one = subscribed(live("a"));
    await settle();
    const before = [...one.heard];
    poll.mockReset().mockRejectedValue(lost);
    const others = [];
    for (let count = 0; count < 10; count += 1) {
      others.push(subscribed(live("a")));
      await settle();
    }
    await settle(interval);
    expect(one.heard).toEqual(before);
    poll.mockReset().mockResolvedValue([answered(before[0]!)]);
    await settle(interval);
    expect(one.heard).toEqual(before);
    for (const other of others) expect(other.heard).toEqual(before);
  });

  test.each(kinds)("does not let %s end when the engine is busy afterwards", async (_kind, query) => {
    const one = subscribed(query);
    await settle();
    const before = [...one.heard];
    poll.mockReset().mockRejectedValue(lost);
    await settle(8 * interval);
    poll.mockReset().mockRejectedValue(busy("wait"));
    await settle(5 * interval);
    expect(one.heard).toEqual([...before, errorReply(lost)]);
  });

  test.each(kinds)("is the first answer of %s", async (_kind, query) => {
    poll.mockReset().mockRejectedValue(lost);
    const one = subscribed(query);
    await settle();
    expect(one.heard).toEqual([errorReply(lost)]);
  });
});

describe("with notices of changes", () => {
  const tooOften = { kind: "too-often", text: "often" } as const;

  async function noticed(name = "a"): Promise<ReturnType<typeof listener>> {
    const one = subscribed(live(name));
    await settle();
    observer.polled(undefined);
    await settle();
    poll.mockClear();
    return one;
  }

  test("nothing runs until a change is noticed, and then at once", async () => {
    const one = await noticed();
    await settle(25_000);
    expect(poll).not.toHaveBeenCalled();
    rows["a"] = "a2";
    observer.changed();
    await settle();
    expect(one.heard).toEqual(["a1", "a2"]);
  });

  test("a statement runs once in 30 s without a notice, and a change found so is counted", async () => {
    const one = await noticed();
    await settle(30_000);
    expect(poll).toHaveBeenCalledTimes(1);
    rows["a"] = "a2";
    await settle(30_000);
    expect(one.heard).toEqual(["a1", "a2"]);
    await settle(interval * 3);
    expect(onMissed).toHaveBeenCalledTimes(1);
  });

  test("a change whose notice arrives just after the statement that found it is not counted", async () => {
    await noticed();
    rows["a"] = "a2";
    await settle(30_000);
    observer.changed();
    await settle(interval * 3);
    expect(onMissed).not.toHaveBeenCalled();
  });

  test("a change during a run causes another one", async () => {
    const one = await noticed();
    const waiting = Promise.withResolvers<void>();
    poll.mockImplementationOnce(async () => {
      await waiting.promise;
      return [answered("a2")];
    });
    observer.changed();
    await settle();
    rows["a"] = "a3";
    observer.changed();
    waiting.resolve();
    await settle();
    expect(one.heard).toEqual(["a1", "a2", "a3"]);
  });

  test("a failed run is repeated after the interval of polling", async () => {
    const one = await noticed();
    poll.mockRejectedValueOnce(new EngineError({ code: "timeout", message: "late" }));
    rows["a"] = "a2";
    observer.changed();
    await settle();
    await settle(interval);
    expect(one.heard.at(-1)).toBe("a2");
  });

  test("without them it is polled again, beginning at once", async () => {
    const one = await noticed();
    rows["a"] = "a2";
    observer.polled(tooOften);
    await settle();
    expect(one.heard).toEqual(["a1", "a2"]);
    rows["a"] = "a3";
    await settle(interval);
    expect(one.heard).toEqual(["a1", "a2", "a3"]);
  });

  test("floods end in the budget: the pace of polling, and no less", async () => {
    subscriptions.stop();
    subscriptions = start({ connections: 1, budgetPercent: 10 });
    await noticed();
    // 100 ms a run; 2 s of saved budget and 0.1 s a second.
    poll.mockImplementation(async (_key, members) => {
      await new Promise((proceed) => setTimeout(proceed, 100));
      return members.map(() => answered("same"));
    });
    for (let passed = 0; passed < 60_000; passed += 10) {
      observer.changed();
      await settle(10);
    }
    const runs = poll.mock.calls.length;
    expect(runs).toBeGreaterThanOrEqual(50);
    expect(runs).toBeLessThanOrEqual(70);
  });

  test("a stream reads on from its cursor after a notice", async () => {
    const query: LiveQuery = { kind: "stream", cohortKey: "stream", parameters: ["0"], client: "client" };
    poll.mockImplementation((_key, members) =>
      Promise.resolve(members.map(() => ({ text: "", failed: false, empty: true }))),
    );
    const one = subscribed(query);
    await settle();
    observer.polled(undefined);
    await settle();
    poll.mockImplementationOnce(() =>
      Promise.resolve([{ text: "row 1", failed: false, empty: false, nextParameters: ["1"] }]),
    );
    observer.changed();
    await settle();
    expect(one.heard).toEqual(["row 1"]);
    await settle(interval);
    expect(poll.mock.calls.at(-1)?.[1]).toEqual([["1"]]);
  });
});
