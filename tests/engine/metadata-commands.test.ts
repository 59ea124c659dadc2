import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { startEngineProcess, type EngineProcess } from "./support/engine-process.ts";

let database: StartedDatabaseContainer;
let engine: EngineProcess;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(
    "create table public.author (id int primary key); create table public.article (id int primary key)",
  );
  const url = database.getConnectionUri("bootstrap");
  engine = await startEngineProcess({ SOURCE_URL: url, HASURA_GRAPHQL_METADATA_DATABASE_URL: url });
});

afterAll(async () => {
  await engine.stop();
  await database.stop();
});

beforeEach(async () => {
  expect(await send("clear_metadata", {})).toEqual({ status: 200, body: { message: "success" } });
});

const send = (type: string, args: unknown) => engine.metadata({ type, args });
const configuration = { connection_info: { database_url: { from_env: "SOURCE_URL" } } };
const metadata = (...tables: readonly string[]) => ({
  version: 3,
  sources: [{ name: "default", kind: "postgres", configuration, tables: tables.map((table) => ({ table })) }],
});
const replace = (...tables: readonly string[]) => ({
  type: "replace_metadata",
  args: { metadata: metadata(...tables) },
});
const consistent = { is_consistent: true, inconsistent_objects: [] };

async function versionOf(): Promise<number> {
  const { body } = await engine.metadata({ type: "export_metadata", version: 2, args: {} });
  return (body as { resource_version: number }).resource_version;
}

test("bulk is one change: all of it is stored at once, or nothing", async () => {
  const before = await versionOf();
  expect(await send("bulk", [replace("author"), replace("gone")])).toMatchObject({
    status: 400,
    body: { path: "$.args[1].args", code: "unexpected" },
  });
  expect(await versionOf()).toBe(before);
  expect(await send("bulk", [replace("author"), replace("author", "article")])).toEqual({
    status: 200,
    body: [consistent, consistent],
  });
  expect(await versionOf()).toBe(before + 1);
  expect(await engine.ask("{ author { id } article { id } }")).toEqual({ data: { author: [], article: [] } });
});

test("rejects a stale resource_version, and drops inconsistent objects", async () => {
  const args = { allow_inconsistent_metadata: true, metadata: metadata("gone") };
  expect(await send("replace_metadata", args)).toMatchObject({ status: 200, body: { is_consistent: false } });
  expect(await engine.metadata({ ...replace("author"), resource_version: 1 })).toMatchObject({
    status: 409,
    body: { code: "conflict" },
  });
  expect((await send("get_inconsistent_metadata", {})).body).toMatchObject({
    is_consistent: false,
    inconsistent_objects: [{ type: "table", name: "table gone in source default" }],
  });
  expect(await send("drop_inconsistent_metadata", {})).toEqual({ status: 200, body: { message: "success" } });
  expect((await send("get_inconsistent_metadata", {})).body).toEqual(consistent);
});
