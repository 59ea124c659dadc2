import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { EngineError, type PreparedMetadata } from "../engine.ts";
import { MetadataError, type Inconsistency } from "@routeql/metadata/read/problems";
import { MetadataKeeper, type MetadataKeeperEvent } from "./metadata-keeper.ts";
import type { MetadataStore, StoredMetadata } from "./store.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const named = (name: string) => ({ version: 3, name });

/** A store in memory, which can be offline. */
class MemoryStore implements MetadataStore {
  isDown = false;
  stored: StoredMetadata = { metadata: named("first"), resourceVersion: 1 };

  #answer<Result>(read: () => Result): Promise<Result> {
    return this.isDown ? Promise.reject(new Error("down")) : Promise.resolve(read());
  }

  prepare = () => this.#answer(() => undefined);
  read = () => this.#answer(() => this.stored);
  version = () => this.#answer(() => this.stored.resourceVersion);
  seed = () => this.#answer(() => undefined);
  toolState = () => this.#answer(() => ({ id: "1", cli_state: {}, console_state: {} }));
  setToolState = () => this.#answer(() => undefined);
  close = () => Promise.resolve();

  replace(metadata: unknown, expected: number): Promise<number | undefined> {
    return this.#answer(() => {
      if (this.stored.resourceVersion !== expected) return undefined;
      this.stored = { metadata: metadata as Record<string, unknown>, resourceVersion: expected + 1 };
      return expected + 1;
    });
  }
}

/** An engine that records the metadata it receives. */
function engineOf(prepare?: (metadata: unknown) => void) {
  const served: unknown[] = [];
  const discarded: unknown[] = [];
  return {
    served,
    discarded,
    metadata: named("first"),
    revision: 1,
    inconsistencies: [] as readonly Inconsistency[],
    prepare: (metadata: unknown): Promise<PreparedMetadata> => {
      try {
        prepare?.(metadata);
      } catch (error) {
        return Promise.reject(error);
      }
      return Promise.resolve({
        inconsistencies: [],
        commit: () => Promise.resolve(void served.push(metadata)),
        discard: () => Promise.resolve(void discarded.push(metadata)),
      });
    },
  };
}

function keeperOf(store: MemoryStore, engine = engineOf()) {
  const events: MetadataKeeperEvent[] = [];
  const keeper = new MetadataKeeper({
    engine,
    store,
    stored: store.stored,
    pollInterval: 1_000,
    onEvent: (event) => events.push(event),
  });
  return { keeper, engine, events };
}

test("serves another replica's change after at most one interval, and reports it once", async () => {
  const store = new MemoryStore();
  const { keeper, engine, events } = keeperOf(store);
  await vi.advanceTimersByTimeAsync(3_000);
  expect(engine.served).toEqual([]);
  store.stored = { metadata: named("second"), resourceVersion: 2 };
  await vi.advanceTimersByTimeAsync(1_000);
  expect([engine.served, keeper.resourceVersion, keeper.metadata]).toEqual([[named("second")], 2, named("second")]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(events).toEqual([{ type: "followed", resourceVersion: 2, inconsistencies: [] }]);
});

test("follows an older version too, as after a restore of the store", async () => {
  const store = new MemoryStore();
  store.stored = { metadata: named("late"), resourceVersion: 9 };
  const { keeper, engine } = keeperOf(store);
  store.stored = { metadata: named("restored"), resourceVersion: 4 };
  await vi.advanceTimersByTimeAsync(1_000);
  expect([engine.served, keeper.resourceVersion]).toEqual([[named("restored")], 4]);
});

/** Replaces the stored metadata. */
function replace(keeper: MetadataKeeper, name: string, expectedVersion?: number): Promise<void> {
  return keeper.change((draft) => {
    draft.metadata = named(name);
    return Promise.resolve();
  }, expectedVersion);
}

test("keeps the last metadata while the store is down; reports the outage and its end once each", async () => {
  const store = new MemoryStore();
  const { keeper, engine, events } = keeperOf(store);
  store.isDown = true;
  await vi.advanceTimersByTimeAsync(10_000);
  expect([engine.served, keeper.metadata]).toEqual([[], named("first")]);
  await expect(replace(keeper, "second")).rejects.toMatchObject({
    status: 500,
    message: "the metadata store does not answer",
  });
  expect(engine.served).toEqual([]);
  store.isDown = false;
  await vi.advanceTimersByTimeAsync(2_000);
  expect(events).toEqual([{ type: "unreachable" }, { type: "reachable" }]);
});

test("tries invalid metadata once, and retries while a database does not answer", async () => {
  let tried = 0;
  let failure: Error | undefined = new MetadataError([]);
  const engine = engineOf(() => {
    tried += 1;
    if (failure !== undefined) throw failure;
  });
  const store = new MemoryStore();
  const { events } = keeperOf(store, engine);
  store.stored = { metadata: named("wrong"), resourceVersion: 2 };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tried).toBe(1);
  failure = new EngineError({ code: "postgres-error", message: "connection error" });
  store.stored = { metadata: named("third"), resourceVersion: 3 };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tried).toBe(6);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(1_000);
  expect(engine.served).toEqual([named("third")]);
  expect(events.map(({ type }) => type)).toEqual(["refused", "refused", "followed"]);
});

test("checked metadata that lost the race is discarded, not served", async () => {
  const store = new MemoryStore();
  const { keeper, engine } = keeperOf(store);
  const [won, lost] = await Promise.allSettled([replace(keeper, "second", 1), replace(keeper, "third", 1)]);
  expect([won.status, lost.status]).toEqual(["fulfilled", "rejected"]);
  expect([engine.served, engine.discarded, keeper.resourceVersion]).toEqual([[named("second")], [named("third")], 2]);
});

test("unchanged work stores and serves nothing, and failed work discards its checked metadata", async () => {
  const store = new MemoryStore();
  const { keeper, engine } = keeperOf(store);
  expect(await keeper.change((draft) => Promise.resolve(draft.metadata))).toEqual(named("first"));
  await keeper.change(async (draft) => {
    const { metadata } = draft;
    draft.metadata = named("tried");
    await draft.check();
    draft.metadata = metadata;
  });
  const failing = keeper.change(async (draft) => {
    draft.metadata = named("second");
    await draft.check();
    throw new Error("no");
  });
  await expect(failing).rejects.toThrow("no");
  expect([engine.served, engine.discarded, store.stored.resourceVersion]).toEqual([
    [],
    [named("tried"), named("second")],
    1,
  ]);
});

test("work starts with the stored metadata, also after a change by another replica", async () => {
  const store = new MemoryStore();
  const { keeper, engine } = keeperOf(store);
  store.stored = { metadata: named("second"), resourceVersion: 2 };
  const seen = await keeper.change((draft) => {
    const { metadata } = draft;
    draft.metadata = { ...metadata, more: true };
    return Promise.resolve(metadata);
  });
  expect([seen, store.stored]).toEqual([
    named("second"),
    { metadata: { ...named("second"), more: true }, resourceVersion: 3 },
  ]);
  expect(engine.served).toEqual([named("second"), { ...named("second"), more: true }]);
});

test("does not report inconsistencies of served metadata for stored metadata that failed", async () => {
  const store = new MemoryStore();
  let failure: Error | undefined = new EngineError({ code: "postgres-error", message: "connection error" });
  const engine = engineOf(() => {
    const thrown = failure;
    failure = undefined;
    if (thrown !== undefined) throw thrown;
  });
  const gone: Inconsistency = {
    type: "table",
    name: "gone",
    definition: null,
    file: "metadata",
    path: "",
    at: ["sources", 0, "tables", 0],
    reason: "it is not there",
    kind: "inconsistent",
  };
  const { keeper } = keeperOf(store, { ...engine, inconsistencies: [gone] });
  expect(await keeper.change((draft) => draft.inconsistencies())).toEqual([gone]);
  store.stored = { metadata: named("second"), resourceVersion: 2 };
  expect(await keeper.change((draft) => draft.inconsistencies())).toEqual([]);
  expect([engine.served, engine.discarded]).toEqual([[], [named("second")]]);
});

test("sends no query after close", async () => {
  const store = new MemoryStore();
  const { keeper, engine } = keeperOf(store);
  await keeper.close();
  store.stored = { metadata: named("second"), resourceVersion: 2 };
  await vi.advanceTimersByTimeAsync(5_000);
  expect(engine.served).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
