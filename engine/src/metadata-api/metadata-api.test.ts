import { describe, expect, test } from "vitest";
import type { PreparedMetadata } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { buildState, checkMetadata } from "../execution/state.ts";
import { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import type { MetadataStore, StoredMetadata, ToolState } from "../metadata-store/store.ts";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { createMetadataApi } from "./metadata-api.ts";

const source = { name: "default", kind: "postgres", configuration: { connection_info: { database_url: "postgres://nowhere.invalid/none" } }, tables: [] };
const columns = { id: "int4 not null" };
const catalog = catalogAnswer({
  a: { columns: { ...columns, b_id: "int4", other_b_id: "int4" }, references: ["b_id", "other_b_id"].map((column) => ({ columns: [column], table: "b", targetColumns: ["id"] })) },
  b: { columns },
  c: { columns },
});

/** The metadata API over a store in memory and a database with the tables `a`, `b` and `c`, and two paths from `a` to `b`. */
function api() {
  let stored: StoredMetadata = { metadata: { version: 3, sources: [source] }, resourceVersion: 1 };
  let tools: ToolState = { id: "6d4b7a5e-0000-4000-8000-000000000000", cli_state: {}, console_state: {} };
  const store: MetadataStore = {
    prepare: () => Promise.resolve(),
    read: () => Promise.resolve(stored),
    version: () => Promise.resolve(stored.resourceVersion),
    seed: () => Promise.resolve(),
    replace: (metadata, expected) => {
      stored = { metadata: metadata as StoredMetadata["metadata"], resourceVersion: expected + 1 };
      return Promise.resolve(expected + 1);
    },
    toolState: () => Promise.resolve(tools),
    setToolState: (tool, state) => Promise.resolve(void (tools = { ...tools, [`${tool}_state`]: state })),
    close: () => Promise.resolve(),
  };
  const engine = {
    metadata: stored.metadata,
    revision: 1,
    inconsistencies: [],
    answers: true,
    prepared: 0,
    /** Number of prepared metadata versions that were neither committed nor discarded. */
    open: 0,
    async prepare(given: unknown): Promise<PreparedMetadata> {
      this.prepared += 1;
      if (!this.answers) throw new EngineError({ code: "postgres-error", status: 503, message: "connection error" });
      const metadata = given as StoredMetadata["metadata"];
      const { inconsistencies } = await buildState(checkMetadata(metadata, false), { metadata, allowInconsistent: true }, () => () => Promise.resolve(catalog));
      this.open += 1;
      const close = () => Promise.resolve(void (this.open -= 1));
      return { inconsistencies, commit: close, discard: close };
    },
  };
  const keeper = new MetadataKeeper({ engine, store, stored, pollInterval: 0, onEvent: () => undefined });
  const metadataApi = createMetadataApi(keeper);
  const tablesOf = ({ sources }: StoredMetadata["metadata"]) => (sources as { tables: { table: { name: string } }[] }[])[0]?.tables ?? [];
  return { engine, answer: (type: string, args: unknown) => metadataApi.answer({ type, args }), tables: () => tablesOf(stored.metadata), version: () => stored.resourceVersion };
}

const namesOf = (tables: readonly { readonly table: { readonly name: string } }[]) => tables.map(({ table: { name } }) => name);
const track = (table: string) => ({ type: "pg_track_table", args: { table } });

test.each(["bulk", "bulk_keep_going", "bulk_atomic"])("%s without commands queries no database and stores nothing", async (type) => {
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
])("%s %j leaves no prepared metadata open", async (type, args, tables) => {
  const { answer, engine, tables: stored } = api();
  await answer(type, args).catch((error: unknown) => expect(error).toBeInstanceOf(EngineError));
  expect([namesOf(stored()), engine.open]).toEqual([tables, 0]);
});

test("finds one inconsistent command of many with few database checks", async () => {
  const { answer, engine, tables } = api();
  const comments = Array.from({ length: 60 }, (_none, index) => ({ type: "pg_set_table_customization", args: { table: "a", configuration: { comment: String(index) } } }));
  const answers = await answer("bulk_keep_going", [track("a"), ...comments, track("gone"), track("b")]);
  expect(answers).toEqual([...Array.from({ length: 61 }, () => ({ message: "success" })), expect.objectContaining({ code: "invalid-configuration", path: "$.args[61].args" }), { message: "success" }]);
  expect(tables()).toMatchObject([{ configuration: { comment: "59" } }, { table: { name: "b" } }]);
  expect(engine.prepared).toBeLessThan(20);
});

test.each(["bulk", "bulk_keep_going", "bulk_atomic"])("%s waits only once for a database that does not answer", async (type) => {
  const { answer, engine, tables } = api();
  engine.answers = false;
  await expect(answer(type, [track("a"), track("b"), track("c")])).rejects.toMatchObject({ code: "postgres-error" });
  expect([engine.prepared, engine.open, tables()]).toEqual([1, 0, []]);
});

test.each(["bulk", "bulk_atomic"])("%s changes nothing when a command warns and warnings are not allowed", async (type) => {
  const { answer, engine, tables } = api();
  await answer("pg_track_table", { table: "a" });
  const some = { type: "pg_track_tables", args: { tables: [{ table: "a" }, { table: "b" }], allow_warnings: false } };
  await expect(answer(type, [track("c"), some])).rejects.toMatchObject({ code: "metadata-warnings", path: "$.args[1].args" });
  expect([namesOf(tables()), engine.open]).toEqual([["a"], 0]);
});

describe("a relationship whose former name another one takes", () => {
  const relationship = (name: string, column: string) => ({ type: "pg_create_object_relationship", args: { table: "a", name, using: { foreign_key_constraint_on: column } } });
  const permission = { type: "pg_create_select_permission", args: { table: "a", role: "user", permission: { columns: ["id"], filter: { near: { id: { _eq: 1 } } } } } };
  const rename = (name: string, next: string) => ({ type: "pg_rename_relationship", args: { table: "a", name, new_name: next } });
  const swap = [rename("near", "far"), rename("other", "near")];

  test.each(["bulk", "bulk_keep_going"])("a rename also changes the filters through it, in a %s too", async (type) => {
    const { answer, tables } = api();
    await answer("bulk", [track("a"), track("b"), relationship("near", "b_id"), relationship("other", "other_b_id"), permission]);
    await answer(type, swap);
    expect(tables()[0]).toMatchObject({
      object_relationships: [{ name: "far", using: { foreign_key_constraint_on: "b_id" } }, { name: "near", using: { foreign_key_constraint_on: "other_b_id" } }],
      select_permissions: [{ permission: { filter: { far: { id: { _eq: 1 } } } } }],
    });
  });

  test.each([
    ["without cascade, where another one takes its name", false, [{ role: "user" }]],
    ["with cascade, although another one takes its name", true, []],
  ])("is dropped %s: the permissions that depend on it are then %j", async (_what, cascade, permissions) => {
    const { answer, tables } = api();
    await answer("bulk", [track("a"), track("b"), relationship("near", "b_id"), permission]);
    await answer("bulk", [{ type: "pg_drop_relationship", args: { table: "a", relationship: "near", cascade } }, relationship("near", "other_b_id")]);
    expect(tables()[0]).toMatchObject({ object_relationships: [{ name: "near", using: { foreign_key_constraint_on: "other_b_id" } }], select_permissions: permissions });
  });

  test("is rejected in bulk_atomic, which checks filters only at the end", async () => {
    const { answer, version } = api();
    await answer("bulk", [track("a"), track("b"), relationship("near", "b_id"), relationship("other", "other_b_id"), permission]);
    await expect(answer("bulk_atomic", swap)).rejects.toMatchObject({ message: "Bulk atomic does not support this command" });
    expect(version()).toBe(2);
  });
});

test("stores the state of Hasura's CLI and console", async () => {
  const { answer, version } = api();
  const state = { settings: { migration_mode: "true" }, isStateCopyCompleted: true };
  expect(await answer("get_catalog_state", {})).toMatchObject({ cli_state: {}, console_state: {} });
  expect(await answer("set_catalog_state", { type: "cli", state })).toEqual({ message: "success" });
  expect(await answer("get_catalog_state", {})).toMatchObject({ cli_state: state, console_state: {} });
  expect(version()).toBe(1);
});

test.each([{ type: "cli" }, { type: "other", state: {} }, { type: "cli", state: "text" }])("rejects the catalog state %o", async (args) => {
  await expect(api().answer("set_catalog_state", args)).rejects.toThrow(EngineError);
});
