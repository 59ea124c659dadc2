import { expect, test } from "vitest";
import type { PreparedMetadata } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { Inconsistency } from "../metadata/problems.ts";
import { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import type { MetadataStore, StoredMetadata } from "../metadata-store/store.ts";
import { createMetadataApi } from "./metadata-api.ts";

const source = { name: "default", kind: "postgres", configuration: {}, tables: [] };

/** The metadata API over a store in memory and a database that has the tables `a`, `b` and `c`. */
function api() {
  let stored: StoredMetadata = { metadata: { version: 3, sources: [source] }, resourceVersion: 1 };
  const store: MetadataStore = {
    prepare: () => Promise.resolve(),
    read: () => Promise.resolve(stored),
    version: () => Promise.resolve(stored.resourceVersion),
    seed: () => Promise.resolve(),
    replace: (metadata, expected) => {
      stored = { metadata: metadata as StoredMetadata["metadata"], resourceVersion: expected + 1 };
      return Promise.resolve(expected + 1);
    },
    close: () => Promise.resolve(),
  };
  const engine = {
    metadata: stored.metadata,
    revision: 1,
    inconsistencies: [],
    answers: true,
    prepared: 0,
    /** Prepared metadata of which neither was said that they are served nor that they are not. */
    open: 0,
    prepare(metadata: unknown): Promise<PreparedMetadata> {
      this.prepared += 1;
      if (!this.answers) return Promise.reject(new EngineError({ code: "postgres-error", status: 503, message: "connection error" }));
      this.open += 1;
      const close = () => Promise.resolve(void (this.open -= 1));
      return Promise.resolve({ inconsistencies: unfit(metadata), commit: close, discard: close });
    },
  };
  const keeper = new MetadataKeeper({ engine, store, stored, pollInterval: 0, onEvent: () => undefined });
  const metadataApi = createMetadataApi(keeper);
  return { engine, answer: (type: string, args: unknown) => metadataApi.answer({ type, args }), tables: () => tablesOf(stored.metadata).map(({ table: { name } }) => name), version: () => stored.resourceVersion };
}

function tablesOf(metadata: unknown): readonly { readonly table: { readonly name: string } }[] {
  return (metadata as { sources: { tables: { table: { name: string } }[] }[] }).sources[0]?.tables ?? [];
}

function unfit(metadata: unknown): readonly Inconsistency[] {
  return tablesOf(metadata).flatMap(({ table: { name } }, index): Inconsistency[] =>
    ["a", "b", "c"].includes(name) ? [] : [{ at: ["sources", 0, "tables", index], file: "metadata", path: "", kind: "inconsistent", reason: "no such table", type: "table", name, definition: {} }],
  );
}

const track = (table: string) => ({ type: "pg_track_table", args: { table } });

test.each(["bulk", "bulk_keep_going", "bulk_atomic"])("%s of nothing asks no database and stores nothing", async (type) => {
  const { answer, engine, version } = api();
  expect(await answer(type, [])).toEqual(type === "bulk_atomic" ? { message: "success" } : []);
  expect([engine.prepared, engine.open, version()]).toEqual([0, 0, 1]);
});

test.each([
  ["bulk", [track("a"), track("b")], ["a", "b"]],
  ["bulk", [track("a"), track("gone")], []],
  ["bulk_keep_going", [track("a"), track("gone"), track("b")], ["a", "b"]],
  ["bulk_keep_going", [track("gone"), track("a"), track("a")], ["a"]],
  ["bulk_atomic", [track("a"), track("gone")], []],
])("%s %j leaves nothing open that it had prepared", async (type, args, tables) => {
  const { answer, engine, tables: stored } = api();
  await answer(type, args).catch((error: unknown) => expect(error).toBeInstanceOf(EngineError));
  expect([stored(), engine.open]).toEqual([tables, 0]);
});

test.each(["bulk", "bulk_keep_going", "bulk_atomic"])("%s waits once for a database that does not answer", async (type) => {
  const { answer, engine, tables } = api();
  engine.answers = false;
  await expect(answer(type, [track("a"), track("b"), track("c")])).rejects.toMatchObject({ code: "postgres-error" });
  expect([engine.prepared, engine.open, tables()]).toEqual([1, 0, []]);
});

test.each(["bulk", "bulk_atomic"])("%s does nothing when a command in it warns, and warnings are not allowed", async (type) => {
  const { answer, engine, tables } = api();
  await answer("pg_track_table", { table: "a" });
  const some = { type: "pg_track_tables", args: { tables: [{ table: "a" }, { table: "b" }], allow_warnings: false } };
  await expect(answer(type, [track("c"), some])).rejects.toMatchObject({ code: "metadata-warnings", path: "$.args[1].args" });
  expect([tables(), engine.open]).toEqual([["a"], 0]);
});
