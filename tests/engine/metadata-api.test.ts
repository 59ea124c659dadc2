import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { adminSecret, startEngineProcess, type EngineProcess } from "./support/engine-process.ts";

let database: StartedDatabaseContainer;
let directory = "";

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(
    "create table public.apple (id int primary key, kind text); insert into public.apple values (1, 'cox')",
  );
  await admin.query("create table public.pear (id int primary key)");
  directory = mkdtempSync(join(tmpdir(), "routeql-metadata-"));
  mkdirSync(join(directory, "databases"));
  writeFileSync(join(directory, "version.yaml"), "version: 3\n");
  writeFileSync(join(directory, "databases/databases.yaml"), JSON.stringify(metadata("apple").sources));
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await database.stop();
});

beforeEach(async () => {
  await using admin = await database.connect("bootstrap");
  await admin.query("drop schema if exists hdb_catalog cascade");
});

const configuration = { connection_info: { database_url: { from_env: "SOURCE_URL" } } };

function metadata(...tables: (string | object)[]) {
  const entries = tables.map((table) =>
    typeof table === "string" ? { table: { schema: "public", name: table } } : table,
  );
  return { version: 3, sources: [{ name: "default", kind: "postgres", configuration, tables: entries }] };
}

function start(environment: Readonly<Record<string, string>> = {}): Promise<EngineProcess> {
  const url = database.getConnectionUri("bootstrap");
  return startEngineProcess({
    SOURCE_URL: url,
    HASURA_GRAPHQL_METADATA_DATABASE_URL: url,
    HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: "200",
    ENGINE_METADATA_DIRECTORY: directory,
    ...environment,
  });
}

/** Repeats the query until the reply has the key `data`; the test's own time limit ends the loop. */
async function untilServed(engine: EngineProcess, query: string): Promise<unknown> {
  for (;;) {
    const { data } = await engine.ask(query);
    if (data !== undefined) return data;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

const replace = (tables: object, more: object = {}, version?: number) => ({
  type: "replace_metadata",
  version: 2,
  ...(version === undefined ? {} : { resource_version: version }),
  args: { metadata: tables, ...more },
});

describe("one engine with a metadata database", () => {
  test("starts with the directory's metadata, and later uses the stored metadata", async () => {
    {
      await using engine = await start();
      expect(await engine.ask("{ apple { kind } }")).toEqual({ data: { apple: [{ kind: "cox" }] } });
      expect((await engine.metadata({ type: "export_metadata", version: 2, args: {} })).body).toEqual({
        resource_version: 1,
        metadata: metadata("apple"),
      });
      expect(await engine.metadata(replace(metadata("apple", "pear")))).toEqual({
        status: 200,
        body: { is_consistent: true, inconsistent_objects: [] },
      });
      expect(await engine.ask("{ pear { id } }")).toEqual({ data: { pear: [] } });
    }
    await using engine = await start();
    expect(await engine.ask("{ pear { id } }")).toEqual({ data: { pear: [] } });
    expect((await engine.metadata({ type: "export_metadata", args: {} })).body).toEqual(metadata("apple", "pear"));
  }, 60_000);

  test("keeps its metadata when new metadata is invalid, and reports all problems", async () => {
    await using engine = await start();
    const wrong = await engine.metadata(replace({ ...metadata({ table: "apple", select_permision: [] }), surplus: 1 }));
    expect(wrong.status).toBe(400);
    expect(wrong.body).toMatchObject({
      code: "parse-failed",
      path: "$.args.metadata",
      internal: [
        { path: "sources[0].tables[0].select_permision", reason: "unknown key" },
        { path: "surplus", reason: "unknown key" },
      ],
    });
    const unserved = await engine.metadata(replace({ ...metadata("apple"), actions: [{ name: "login" }] }));
    expect(unserved).toMatchObject({ status: 400, body: { code: "not-supported", internal: [{ path: "actions" }] } });
    const unfit = await engine.metadata(replace(metadata("apple", "plum")));
    expect(unfit).toMatchObject({
      status: 400,
      body: {
        path: "$.args",
        error: "cannot continue due to inconsistent metadata",
        code: "unexpected",
        internal: [
          {
            type: "table",
            name: "table plum in source default",
            reason: "Inconsistent object: the database has no table or view public.plum",
          },
        ],
      },
    });
    expect((await engine.metadata({ type: "export_metadata", version: 2, args: {} })).body).toMatchObject({
      resource_version: 1,
    });
    expect(await engine.ask("{ apple { id } }")).toEqual({ data: { apple: [{ id: 1 }] } });
  }, 60_000);

  test("serves the rest of inconsistent metadata, reports the problems and can drop them", async () => {
    await using engine = await start();
    const permission = { role: "user", permission: { columns: ["id", "colour"], filter: {} } };
    const partly = metadata("plum", { table: { schema: "public", name: "apple" }, select_permissions: [permission] });
    const answer = await engine.metadata(replace(partly, { allow_inconsistent_metadata: true }));
    expect(answer).toMatchObject({
      status: 200,
      body: { is_consistent: false, inconsistent_objects: [{ type: "table" }, { type: "select_permission" }] },
    });
    expect(await (await fetch(`${engine.url}/healthz`)).text()).toBe("WARN: inconsistent objects in schema");
    const strict = await fetch(`${engine.url}/healthz?strict=true`);
    expect([strict.status, await strict.text()]).toEqual([500, "ERROR: inconsistent objects in schema"]);
    expect((await engine.metadata({ type: "get_inconsistent_metadata", args: {} })).body).toEqual(answer.body);
    expect(await engine.ask("{ apple { id } }")).toEqual({ data: { apple: [{ id: 1 }] } });
    expect((await engine.metadata({ type: "drop_inconsistent_metadata", args: {} })).body).toEqual({
      message: "success",
    });
    expect((await engine.metadata({ type: "get_inconsistent_metadata", args: {} })).body).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    });
    expect((await engine.metadata({ type: "export_metadata", args: {} })).body).toEqual(
      metadata({ table: { schema: "public", name: "apple" }, select_permissions: [] }),
    );
    expect(await (await fetch(`${engine.url}/healthz?strict=true`)).text()).toBe("OK");
  }, 60_000);

  test("sees a changed table after reload_metadata", async () => {
    await using engine = await start();
    await using admin = await database.connect("bootstrap");
    await admin.query("alter table public.apple add column sweet boolean");
    try {
      expect(await engine.ask("{ apple { sweet } }")).toHaveProperty("errors");
      expect((await engine.metadata({ type: "reload_metadata", args: { reload_sources: true } })).body).toEqual({
        message: "success",
        is_consistent: true,
      });
      expect(await engine.ask("{ apple { sweet } }")).toEqual({ data: { apple: [{ sweet: null }] } });
    } finally {
      await admin.query("alter table public.apple drop column sweet");
    }
  }, 60_000);

  test("does not start with an invalid directory, and stores none of it", async () => {
    await expect(start({ ENGINE_METADATA_DIRECTORY: "/nonexistent" })).rejects.toThrow("this file is missing");
    await using admin = await database.connect("bootstrap");
    expect((await admin.query("select 1 from hdb_catalog.hdb_metadata")).rows).toEqual([]);
  }, 60_000);

  test("with only the metadata API enabled, repairs stored metadata that cannot be served", async () => {
    {
      await using first = await start();
      expect(first.url).toContain("http");
    }
    await using admin = await database.connect("bootstrap");
    await admin.query(`update hdb_catalog.hdb_metadata set metadata = '{"version":3,"sources":[],"surplus":1}'`);
    await expect(start()).rejects.toThrow("surplus: unknown key");
    await using engine = await start({ HASURA_GRAPHQL_ENABLED_APIS: "metadata" });
    expect((await engine.metadata({ type: "get_inconsistent_metadata", args: {} })).body).toMatchObject({
      is_consistent: false,
      inconsistent_objects: [{ name: "surplus" }],
    });
    expect((await engine.metadata(replace(metadata("apple")))).body).toEqual({
      is_consistent: true,
      inconsistent_objects: [],
    });
    expect((await fetch(`${engine.url}/v1/graphql`, { method: "POST", body: "{}" })).status).toBe(404);
  }, 60_000);
});

describe("two engines with one metadata database", () => {
  test("both serve a change of one of them, and close their WebSockets", async () => {
    await using one = await start();
    await using other = await start();
    const socket = new WebSocket(other.url.replace("http", "ws") + "/v1/graphql", "graphql-transport-ws", {
      headers: { "x-hasura-admin-secret": adminSecret },
    });
    const closed = new Promise<[number, string]>((resolve) =>
      socket.on("close", (code, reason) => resolve([code, String(reason)])),
    );
    await new Promise((opened) => socket.once("open", opened));
    expect(await other.ask("{ pear { id } }")).toHaveProperty("errors");
    expect((await one.metadata(replace(metadata("pear")))).status).toBe(200);
    expect(await untilServed(other, "{ pear { id } }")).toEqual({ pear: [] });
    expect(await closed).toEqual([1012, "Server state changed, restarting the server"]);
    const exported = { type: "export_metadata", version: 2, args: {} };
    expect((await other.metadata(exported)).body).toEqual((await one.metadata(exported)).body);
  }, 60_000);

  test("rejects one of two changes of the same version", async () => {
    await using one = await start();
    await using other = await start();
    const answers = await Promise.all([
      one.metadata(replace(metadata("pear"), {}, 1)),
      other.metadata(replace(metadata("apple", "pear"), {}, 1)),
    ]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]));
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      path: "$",
      error: "metadata resource version referenced (1) did not match current version",
      code: "conflict",
    });
  }, 60_000);

  test("that start at the same time agree on the first metadata", async () => {
    const engines = await Promise.all([start(), start(), start()]);
    const exported = await Promise.all(
      engines.map((engine) => engine.metadata({ type: "export_metadata", version: 2, args: {} })),
    );
    for (const { body } of exported) expect(body).toEqual({ resource_version: 1, metadata: metadata("apple") });
    expect(await Promise.all(engines.map((engine) => engine.stop()))).toEqual([0, 0, 0]);
  }, 60_000);
});

describe("metadata with unsupported objects", () => {
  const foreign = {
    ...metadata({ table: { schema: "public", name: "apple" }, event_triggers: [{ name: "on_apple" }] }),
    actions: [{ name: "login" }],
  };

  test("is served as far as possible if allowed, with a list of problems, and stored whole", async () => {
    await using engine = await start({ ENGINE_ALLOW_UNSUPPORTED: "true" });
    const answer = await engine.metadata(replace(foreign));
    expect(answer).toMatchObject({
      status: 200,
      body: {
        is_consistent: false,
        inconsistent_objects: [
          {
            name: "sources[0].tables[0].event_triggers",
            reason: "Hasura knows this, but this engine does not serve event triggers",
            definition: [{ name: "on_apple" }],
          },
          { name: "actions" },
        ],
      },
    });
    expect(await engine.ask("{ apple { id } }")).toEqual({ data: { apple: [{ id: 1 }] } });
    expect((await engine.metadata({ type: "drop_inconsistent_metadata", args: {} })).body).toEqual({
      message: "success",
    });
    expect((await engine.metadata({ type: "export_metadata", args: {} })).body).toEqual(foreign);
  }, 60_000);
});

describe("an engine without a metadata database", () => {
  const withoutStore = () => start({ HASURA_GRAPHQL_METADATA_DATABASE_URL: "" });

  test("exports and reloads the directory's metadata, but does not change it", async () => {
    await using engine = await withoutStore();
    expect((await engine.metadata({ type: "export_metadata", version: 2, args: {} })).body).toEqual({
      resource_version: 1,
      metadata: metadata("apple"),
    });
    expect((await engine.metadata({ type: "reload_metadata", args: {} })).body).toEqual({
      message: "success",
      is_consistent: true,
    });
    expect(await engine.metadata(replace(metadata("pear")))).toMatchObject({
      status: 400,
      body: { code: "not-supported" },
    });
  }, 60_000);
});
