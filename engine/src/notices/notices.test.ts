import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type Sql, trusted } from "../sql/sql.ts";
import type { Reads } from "../sql/print.ts";
import type { Hearing, ListenerEvents } from "./listener.ts";
import { Notices } from "./notices.ts";
import type { Observation, PolledReason } from "./observation.ts";

/** Tables of the fake catalogue by relation. */
let catalogue: Record<string, readonly number[]>;
/** Transactions that write to tables. */
let writers: { readonly relation: string; readonly writer: string }[];
let statements: string[];
let events: ListenerEvents;
let notices: Notices;
const restart = vi.fn();

const kinds = {
  lookup: "pg_namespace",
  tables: "tables_read_by",
  writers: "pg_locks",
  start: "start_listening",
  stop: "stop_listening",
};
const ran = (kind: keyof typeof kinds): number => statements.filter((text) => text.includes(kinds[kind])).length;

const idOf = (relation: string): number => Object.keys(catalogue).indexOf(relation) + 1;

function answer(text: string, parameters: readonly unknown[] = []): object[] {
  statements.push(text);
  if (text.includes(kinds.writers)) return writers;
  if (text.includes(kinds.tables)) {
    const asked = JSON.parse(String(parameters[0])) as { readonly relations: readonly number[] }[];
    return asked.flatMap(({ relations }, index) =>
      relations
        .flatMap((id) => Object.values(catalogue)[id - 1] ?? [])
        .map((table) => ({ position: `${index + 1}`, relation: `${table}`, name: `s.t${table}`, reason: null })),
    );
  }
  if (text.includes(kinds.lookup))
    return (parameters[1] as string[])
      .filter((name) => name in catalogue)
      .map((name) => ({ is_function: false, schema: "s", name, id: `${idOf(name)}` }));
  return [];
}

const hearing = {
  query: (text: string, parameters?: readonly unknown[]) => Promise.resolve({ rows: answer(text, parameters) }),
} as unknown as Hearing;

const reads = (...names: readonly string[]): Reads => ({
  relations: new Map(
    names.map((name): [Sql, { schema: string; name: string }] => [trusted(name), { schema: "s", name }]),
  ),
  functions: new Map(),
  nativeQueries: new Set(),
});

interface Observed {
  readonly observation: Observation;
  /** Kinds of reasons after `starting`, each change. */
  readonly told: (string | undefined)[];
  changes: number;
}

function observe(...names: readonly string[]): Observed {
  const told: (string | undefined)[] = [];
  let last: string | undefined = "starting";
  const polled = (reason: PolledReason | undefined): void => {
    if (reason?.kind !== last) told.push(reason?.kind);
    last = reason?.kind;
  };
  const changed = (): void => void (observed.changes += 1);
  const observed: Observed = { observation: notices.observe(reads(...names), { changed, polled }), told, changes: 0 };
  return observed;
}

/** Listens, with a first observation that reads nothing. */
async function listening(): Promise<void> {
  observe();
  await events.onUp(hearing);
  statements = [];
}

const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

beforeEach(() => {
  vi.useFakeTimers();
  catalogue = { hijacks: [1], updates: [2], both: [1, 2] };
  writers = [];
  statements = [];
  restart.mockReset();
  notices = new Notices({
    listen: (given) => {
      events = given;
      return { restart, stop: () => Promise.resolve() };
    },
  });
});

afterEach(async () => {
  await notices.close();
  vi.useRealTimers();
});

test("tells only the statements that read a changed table", async () => {
  const [hijacks, updates, both] = [observe("hijacks"), observe("updates"), observe("both")];
  await events.onUp(hearing);
  events.onNotice("s.t1");
  expect([hijacks, updates, both].map(({ changes }) => changes)).toEqual([1, 0, 1]);
  expect(both.told).toEqual([undefined]);
  expect(both.observation.tables).toEqual(["s.t1", "s.t2"]);
  expect(notices.figures).toEqual({ listening: true, received: 1, noticed: 3, polled: {}, unnoticed: [] });
});

test("looks up each object once, however many statements name it", async () => {
  await listening();
  for (let index = 0; index < 100; index += 1) observe("hijacks", ...(index % 2 === 0 ? ["updates"] : []));
  await settle();
  for (let index = 0; index < 100; index += 1) observe("updates", "hijacks");
  await settle();
  expect([ran("lookup"), ran("start")]).toEqual([1, 1]);
  expect(notices.figures.noticed).toBe(201);
});

test("polls a statement until the transactions end that were writing before", async () => {
  writers = [{ relation: "1", writer: "3/7" }];
  const hijacks = observe("hijacks");
  await events.onUp(hearing);
  expect(hijacks.told).toEqual([]);
  writers = [{ relation: "1", writer: "4/1" }];
  await settle(200);
  expect(hijacks.told).toEqual([undefined]);
});

test("stops to listen while notices of a table flood, and tells its statements", async () => {
  const [hijacks, updates] = [observe("hijacks"), observe("updates")];
  await events.onUp(hearing);
  for (let count = 0; count < 30; count += 1) events.onNotice("s.t1");
  await settle();
  expect(hijacks.told).toEqual([undefined, "too-often"]);
  expect([hijacks.changes, ran("stop"), updates.told]).toEqual([20, 1, [undefined]]);
  await settle(4_000);
  expect(hijacks.told).toEqual([undefined, "too-often", undefined]);
});

test("keeps a table off when a flood meets the look for older transactions", async () => {
  writers = [{ relation: "1", writer: "3/7" }];
  const hijacks = observe("hijacks");
  let floods = false;
  const flooding = {
    query: (text: string, parameters?: readonly unknown[]) => {
      if (floods && text.includes(kinds.writers)) for (let count = 0; count < 30; count += 1) events.onNotice("s.t1");
      return hearing.query(text, parameters as unknown[]);
    },
  } as unknown as Hearing;
  await events.onUp(flooding);
  writers = [];
  floods = true;
  await settle(200);
  expect([hijacks.told, ran("stop")]).toEqual([["too-often"], 1]);
  floods = false;
  await settle(4_000);
  expect(hijacks.told).toEqual(["too-often", undefined]);
});

test("rests longer each time while constant writers flood", async () => {
  observe("hijacks");
  let transactions = 0;
  const busy = {
    query: (text: string, parameters?: readonly unknown[]) => {
      writers = [{ relation: "1", writer: `3/${(transactions += 1)}` }];
      return hearing.query(text, parameters as unknown[]);
    },
  } as unknown as Hearing;
  await events.onUp(busy);
  for (let tenths = 0; tenths < 600; tenths += 1) {
    for (let count = 0; count < 30; count += 1) events.onNotice("s.t1");
    await settle(100);
  }
  expect(ran("start")).toBeLessThan(7);
  expect(ran("start")).toBeGreaterThan(3);
});

test("asks for a new connection when a statement at a table's own time fails", async () => {
  const slow = new Error("canceling statement due to statement timeout");
  let fails = false;
  const failing = {
    query: (text: string, parameters?: readonly unknown[]) =>
      fails && text.includes(kinds.start) ? Promise.reject(slow) : hearing.query(text, parameters as unknown[]),
  } as unknown as Hearing;
  observe("hijacks");
  await events.onUp(failing);
  fails = true;
  observe("updates");
  await settle();
  expect(restart.mock.calls).toEqual([[slow]]);
});

test("polls all statements while nothing is heard, and looks again afterwards", async () => {
  const hijacks = observe("hijacks");
  await events.onUp(hearing);
  events.onDown("the connection ended");
  expect(hijacks.told).toEqual([undefined, "not-listening"]);
  await events.onUp(hearing);
  expect(hijacks.told.at(-1)).toBeUndefined();
  expect(ran("lookup")).toBe(2);
});

test("looks again after the pause when everything changed twice", async () => {
  const both = observe("both");
  await events.onUp(hearing);
  events.onNotice("*");
  await settle();
  catalogue["both"] = [1, 3];
  events.onNotice("*");
  events.onNotice("*");
  await settle();
  expect(both.observation.tables).toEqual(["s.t1", "s.t2"]);
  await settle(2_000);
  expect(both.observation.tables).toEqual(["s.t1", "s.t3"]);
  expect(ran("lookup")).toBe(3);
  await settle(10_000);
  expect(ran("lookup")).toBe(3);
});

describe("at a proof", () => {
  test("finds an object that was missing, without a word to other statements", async () => {
    const [missing, hijacks] = [observe("later"), observe("hijacks")];
    await events.onUp(hearing);
    expect(missing.told).toEqual(["not-noticeable"]);
    catalogue["later"] = [3];
    await events.onProof(hearing);
    expect(missing.told).toEqual(["not-noticeable", "starting", undefined]);
    expect(hijacks.told).toEqual([undefined]);
  });

  test("looks at everything again when a view reads other tables", async () => {
    const both = observe("both");
    await events.onUp(hearing);
    catalogue["both"] = [1, 3];
    await events.onProof(hearing);
    await settle();
    expect(both.told).toEqual([undefined, "starting", undefined]);
    expect(both.observation.tables).toEqual(["s.t1", "s.t3"]);
  });

  test("looks again when a view reads a table that another statement reads", async () => {
    const [hijacks] = [observe("hijacks"), observe("updates")];
    await events.onUp(hearing);
    catalogue["hijacks"] = [2];
    catalogue["updates"] = [2, 1];
    await events.onProof(hearing);
    await settle();
    expect(hijacks.observation.tables).toEqual(["s.t2"]);
  });

  test("stops to listen for tables that no statement reads", async () => {
    const [hijacks] = [observe("hijacks"), observe("updates")];
    await events.onUp(hearing);
    hijacks.observation.stop();
    await events.onProof(hearing);
    expect(ran("stop")).toBe(1);
    events.onNotice("s.t1");
    expect(hijacks.changes).toBe(0);
  });

  test("keeps the connection where the database has no functions for notices", async () => {
    const bare = {
      query: (text: string, parameters?: readonly unknown[]) =>
        text.includes(kinds.tables)
          ? Promise.reject(Object.assign(new Error("no function"), { code: "42883" }))
          : Promise.resolve({ rows: answer(text, parameters) }),
    } as unknown as Hearing;
    const hijacks = observe("hijacks");
    await events.onUp(bare);
    await events.onProof(bare);
    expect(hijacks.told).toEqual(["not-noticeable"]);
    expect(notices.isListening).toBe(true);
    expect(notices.figures.unnoticed).toEqual(["s.hijacks"]);
  });
});
