import { expect, test } from "vitest";
import type { PreparedMetadata } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { buildState, checkMetadata } from "../execution/state.ts";
import { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import type { MetadataStore, StoredMetadata, ToolState } from "../metadata-store/store.ts";
import { catalogAnswer } from "@routeql/metadata/testing/catalog";
import { answerMetadataRequest } from "./metadata-api.ts";

const source = {
  name: "default",
  kind: "postgres",
  configuration: { connection_info: { database_url: "postgres://nowhere.invalid/none" } },
  tables: [],
};
const columns = { id: "int4 not null" };
const catalog = catalogAnswer({
  a: {
    columns: { ...columns, b_id: "int4", other_b_id: "int4" },
    references: ["b_id", "other_b_id"].map((column) => ({ columns: [column], table: "b", targetColumns: ["id"] })),
  },
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
    async prepare(
      given: unknown,
      { allowInconsistent = false }: { readonly allowInconsistent?: boolean } = {},
    ): Promise<PreparedMetadata> {
      this.prepared += 1;
      if (!this.answers) throw new EngineError({ code: "postgres-error", status: 503, message: "connection error" });
      const metadata = given as StoredMetadata["metadata"];
      const { inconsistencies } = await buildState(
        checkMetadata(metadata, false),
        { metadata, allowInconsistent },
        () => () => Promise.resolve(catalog),
      );
      this.open += 1;
      const close = () => Promise.resolve(void (this.open -= 1));
      return { inconsistencies, commit: close, discard: close };
    },
  };
  const keeper = new MetadataKeeper({ engine, store, stored, pollInterval: 0, onEvent: () => undefined });
  const tablesOf = ({ sources }: StoredMetadata["metadata"]) =>
    (sources as { tables: { table: { name: string } }[] }[])[0]?.tables ?? [];
  return {
    engine,
    answer: (type: string, args: unknown) => answerMetadataRequest(keeper, { type, args }),
    tables: () => tablesOf(stored.metadata),
    version: () => stored.resourceVersion,
  };
}

const namesOf = (tables: readonly { readonly table: { readonly name: string } }[]) =>
  tables.map(({ table: { name } }) => name);
const replace = (...tables: readonly string[]) => ({
  type: "replace_metadata",
  args: {
    metadata: {
      version: 3,
      sources: [{ ...source, tables: tables.map((name) => ({ table: { schema: "public", name } })) }],
    },
  },
});

test.each(["bulk", "bulk_keep_going"])("%s without requests queries no database and stores nothing", async (type) => {
  const { answer, engine, version } = api();
  expect(await answer(type, [])).toEqual([]);
  expect([engine.prepared, engine.open, version()]).toEqual([0, 0, 1]);
});

test.each([
  ["bulk", [replace("a"), replace("a", "b")], ["a", "b"]],
  ["bulk", [replace("a"), replace("gone")], []],
  ["bulk", [replace("a"), { type: "pg_track_table", args: { table: "b" } }], []],
  ["bulk_keep_going", [replace("a"), replace("gone"), replace("b")], ["b"]],
  ["bulk_keep_going", [replace("a"), { type: "pg_track_table", args: { table: "b" } }], ["a"]],
])("%s %j leaves no prepared metadata open", async (type, args, tables) => {
  const { answer, engine, tables: stored } = api();
  await answer(type, args).catch((error: unknown) => expect(error).toBeInstanceOf(EngineError));
  expect([namesOf(stored()), engine.open]).toEqual([tables, 0]);
});

test("bulk_keep_going replies with the error of a request in its place", async () => {
  const { answer } = api();
  const consistent = { is_consistent: true, inconsistent_objects: [] };
  expect(await answer("bulk_keep_going", [replace("a"), replace("gone"), replace("b")])).toEqual([
    consistent,
    expect.objectContaining({ code: "unexpected", path: "$.args[1].args" }),
    consistent,
  ]);
});

test("bulk waits only once for a database that does not answer", async () => {
  const { answer, engine, tables } = api();
  engine.answers = false;
  await expect(answer("bulk", [replace("a"), replace("b")])).rejects.toMatchObject({ code: "postgres-error" });
  expect([engine.prepared, engine.open, tables()]).toEqual([1, 0, []]);
});

test.each(["pg_track_table", "pg_create_select_permission", "add_inherited_role", "bulk_atomic"])(
  "rejects %s, which changes one object, with the remedy",
  async (type) => {
    const { answer, version } = api();
    await expect(answer(type, {})).rejects.toMatchObject({
      code: "not-supported",
      path: "$.type",
      message: expect.stringContaining("replace_metadata") as string,
    });
    expect(version()).toBe(1);
  },
);

test("stores the state of Hasura's CLI and console", async () => {
  const { answer, version } = api();
  const state = { settings: { migration_mode: "true" }, isStateCopyCompleted: true };
  expect(await answer("get_catalog_state", {})).toMatchObject({ cli_state: {}, console_state: {} });
  expect(await answer("set_catalog_state", { type: "cli", state })).toEqual({ message: "success" });
  expect(await answer("get_catalog_state", {})).toMatchObject({ cli_state: state, console_state: {} });
  expect(version()).toBe(1);
});

test.each([{ type: "cli" }, { type: "other", state: {} }, { type: "cli", state: "text" }])(
  "rejects the catalog state %o",
  async (args) => {
    await expect(api().answer("set_catalog_state", args)).rejects.toThrow(EngineError);
  },
);
