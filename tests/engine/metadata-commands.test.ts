import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { startEngineProcess, type EngineProcess } from "./support/engine-process.ts";

let database: StartedDatabaseContainer;
let engine: EngineProcess;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(`
    create table public.author (id int primary key, name text);
    create table public.article (id int primary key, author_id int references public.author, title text);
    insert into public.author values (1, 'Ada');
    insert into public.article values (1, 1, 'Engines');
    create function public.long_titles() returns setof public.article language sql stable as 'select * from public.article where length(title) > 3';
    create function public.shout(author_row public.author) returns text language sql stable as 'select upper(author_row.name)'`);
  const url = database.getConnectionUri("bootstrap");
  engine = await startEngineProcess({ SOURCE_URL: url, HASURA_GRAPHQL_METADATA_DATABASE_URL: url });
});

afterAll(async () => {
  await engine.stop();
  await database.stop();
});

const configuration = { connection_info: { database_url: { from_env: "SOURCE_URL" } } };

beforeEach(async () => {
  expect(await send("clear_metadata", {})).toEqual(success);
  expect(await send("pg_add_source", { name: "default", configuration })).toEqual(success);
});

const success = { status: 200, body: { message: "success" } };
const item = (type: string, args: object) => ({ type, args });
const send = (type: string, args: unknown) => engine.metadata({ type, args });

const refused = (code: string, error: string, path = "$.args", status = 400) => ({ status, body: { path, error, code } });

async function versionOf(): Promise<number> {
  const { body } = await engine.metadata({ type: "export_metadata", version: 2, args: {} });
  return (body as { resource_version: number }).resource_version;
}

const articles = item("pg_create_array_relationship", {
  table: "author",
  name: "articles",
  using: { foreign_key_constraint_on: { table: "article", column: "author_id" } },
});
const author = item("pg_create_object_relationship", { table: "article", name: "author", using: { foreign_key_constraint_on: "author_id" } });
const permission = (table: string, filter: object, columns: readonly string[] = ["id"]) => item("pg_create_select_permission", { table, role: "user", permission: { columns, filter } });
const tables = [item("pg_track_table", { table: "author" }), item("pg_track_table", { table: { schema: "public", name: "article" } })];

test("serves tables, relationships and permissions as soon as their commands are answered", async () => {
  for (const command of [...tables, articles, author, permission("author", { articles: { title: { _eq: "Engines" } } })]) expect(await engine.metadata(command)).toEqual(success);
  expect(await engine.ask("{ author { name articles { title author { id } } } }")).toEqual({ data: { author: [{ name: "Ada", articles: [{ title: "Engines", author: { id: 1 } }] }] } });
  expect(await send("pg_set_table_customization", { table: "author", configuration: { custom_name: "writer" } })).toEqual(success);
  expect(await engine.ask("{ writer { id } }")).toEqual({ data: { writer: [{ id: 1 }] } });
  expect((await engine.metadata(item("export_metadata", {}))).body).toMatchObject({
    sources: [{ tables: [{ configuration: { custom_name: "writer" }, select_permissions: [{ role: "user" }], array_relationships: [{ name: "articles" }] }, { object_relationships: [{ name: "author" }] }] }],
  });
});

test("a command whose object does not match the database changes nothing", async () => {
  await send("bulk", tables);
  const before = await versionOf();
  expect(await send("pg_track_table", { table: "nothing" })).toMatchObject({
    status: 400,
    body: {
      path: "$.args",
      error: "Inconsistent object: the database has no table or view public.nothing",
      code: "invalid-configuration",
      internal: [{ type: "table", name: "table nothing in source default" }],
    },
  });
  expect(await engine.metadata(permission("author", {}, ["id", "colour"]))).toMatchObject({
    status: 400,
    body: { code: "invalid-configuration", internal: [{ type: "select_permission", name: "select_permission user in table author in source default" }] },
  });
  expect(await send("pg_create_select_permission", { table: "author", role: "user", permission: { colums: "*", filter: {} } })).toMatchObject({
    status: 400,
    body: { code: "parse-failed", path: "$.args", error: expect.stringContaining("colums: unknown key") as string },
  });
  expect(await send("pg_create_insert_permission", { table: "author", role: "user", permission: { check: {} } })).toMatchObject({ status: 400, body: { code: "not-supported", path: "$.args" } });
  expect(await versionOf()).toBe(before);
});

test("drops dependent objects with an object, or rejects the command", async () => {
  await send("bulk", [...tables, articles, author, permission("author", { articles: { id: { _gt: 0 } } })]);
  const dependsOn = (names: string) => refused("dependency-error", `cannot drop due to the following dependent objects: ${names}`);
  expect(await send("pg_drop_relationship", { table: "author", relationship: "articles" })).toEqual(dependsOn('permission author.user.select in source "default"'));
  expect(await send("pg_untrack_table", { table: "article" })).toEqual(dependsOn('relationship author.articles in source "default", permission author.user.select in source "default"'));
  expect(await send("pg_untrack_table", { table: "article", cascade: true })).toEqual(success);
  expect((await engine.metadata(item("export_metadata", {}))).body).toMatchObject({ sources: [{ tables: [{ table: { name: "author" }, array_relationships: [], select_permissions: [] }] }] });
});

test("a renamed relationship is also renamed in filters", async () => {
  const filter = { _or: [{ author: { name: { _eq: "Ada" } } }, { author: { _not: { id: { _eq: 1 } } } }] };
  await send("bulk", [...tables, author, permission("article", filter)]);
  expect(await send("pg_rename_relationship", { table: "article", name: "author", new_name: "writer" })).toEqual(success);
  expect(await engine.ask("{ article { writer { name } } }")).toEqual({ data: { article: [{ writer: { name: "Ada" } }] } });
  expect(JSON.stringify((await engine.metadata(item("export_metadata", {}))).body)).toContain('{"_or":[{"writer":{"name":{"_eq":"Ada"}}},{"writer":{"_not":{"id":{"_eq":1}}}}]}');
});

test("bulk is one change: all of it is stored at once, or nothing", async () => {
  const before = await versionOf();
  const wrong = item("pg_create_select_permission", { table: "author", role: "user", permission: { columns: ["colour"], filter: {} } });
  const answer = await send("bulk", [...tables, wrong, articles]);
  expect(answer).toMatchObject({ status: 400, body: { path: "$.args[2].args", code: "invalid-configuration" } });
  expect(await send("bulk", [...tables, tables[0]])).toEqual(refused("already-tracked", 'view/table already tracked: "author"', "$.args[2].args"));
  expect(await versionOf()).toBe(before);
  expect(await send("bulk", [...tables, articles])).toEqual({ status: 200, body: [success.body, success.body, success.body] });
  expect(await versionOf()).toBe(before + 1);
});

test("bulk_keep_going runs all possible commands, and reports the failures", async () => {
  const answer = await send("bulk_keep_going", [tables[0], item("pg_track_table", { table: "nothing" }), tables[0], tables[1]]);
  expect(answer).toMatchObject({
    status: 200,
    body: [success.body, { path: "$.args[1].args", code: "invalid-configuration" }, { path: "$.args[2].args", code: "already-tracked" }, success.body],
  });
  expect(await engine.ask("{ author { id } article { id } }")).toEqual({ data: { author: [{ id: 1 }], article: [{ id: 1 }] } });
});

test("bulk_atomic accepts commands that are valid only together, and no other requests", async () => {
  await send("bulk", tables);
  const model = item("pg_track_logical_model", { source: "default", name: "number", fields: [{ name: "n", type: { scalar: "integer" } }] });
  const query = item("pg_track_native_query", { source: "default", root_field_name: "numbers", code: "SELECT generate_series(1, {{most}}) AS n", arguments: { most: { type: "integer" } }, returns: "number" });
  expect(await send("bulk_atomic", [model, item("export_metadata", {})])).toEqual(refused("unexpected", "Bulk atomic does not support this command", "$.args", 500));
  expect(await send("bulk_atomic", [query])).toMatchObject({ status: 400, body: { error: "cannot continue due to new inconsistent metadata", internal: [{ type: "native_query", name: "native_query numbers in source default" }] } });
  expect(await send("bulk_atomic", [query, model])).toEqual(success);
  expect(await engine.ask("{ numbers(args: {most: 2}) { n } }")).toEqual({ data: { numbers: [{ n: 1 }, { n: 2 }] } });
  expect((await send("pg_get_native_query", { source: "default" })).body).toMatchObject([{ root_field_name: "numbers" }]);
  expect((await send("pg_get_logical_model", { source: "default" })).body).toMatchObject([{ name: "number" }]);
  expect(await send("pg_untrack_logical_model", { source: "default", name: "number" })).toEqual(refused("constraint-violation", 'Logical model "number" still being used by native query "numbers".'));
  expect(await send("pg_create_logical_model_select_permission", { source: "default", name: "number", role: "user", permission: { columns: "*", filter: { n: { _gt: 1 } } } })).toEqual(success);
  expect(await engine.ask("{ numbers(args: {most: 3}) { n } }", "user")).toEqual({ data: { numbers: [{ n: 2 }, { n: 3 }] } });
  expect(await send("pg_drop_logical_model_select_permission", { source: "default", name: "number", role: "user" })).toEqual(success);
  expect(await send("bulk_atomic", [item("pg_untrack_native_query", { source: "default", root_field_name: "numbers" }), item("pg_untrack_logical_model", { source: "default", name: "number" })])).toEqual(success);
});

test("tracks and drops functions and computed fields", async () => {
  const shout = item("pg_add_computed_field", { table: "author", name: "loud", definition: { function: "shout" } });
  const titles = item("pg_track_function", { function: "long_titles", configuration: { custom_name: "titles" } });
  expect(await send("bulk", [...tables, shout, titles])).toMatchObject({ status: 200 });
  expect(await engine.ask("{ author { loud } titles { title } }")).toEqual({ data: { author: [{ loud: "ADA" }], titles: [{ title: "Engines" }] } });
  expect(await send("pg_untrack_table", { table: "article" })).toEqual(refused("dependency-error", 'cannot drop due to the following dependent objects: function long_titles in source "default"'));
  expect(await send("pg_untrack_function", { function: "long_titles", source: "default" })).toEqual(success);
  expect(await send("pg_drop_computed_field", { table: "author", name: "loud" })).toEqual(success);
  expect(await send("pg_drop_computed_field", { table: "author", name: "loud" })).toEqual(refused("not-exists", 'computed field "loud" does not exist', "$.args.name"));
});

test("track_tables tracks as many as possible, warns about the rest and fails without any", async () => {
  const warning = (name: string, message: string) => ({ code: "track-table-failed", name: `table ${name} in source default`, type: "table", message });
  const none = warning("nothing", "Inconsistent object: the database has no table or view public.nothing");
  expect(await send("pg_track_tables", { tables: [{ table: "author" }, { table: "nothing" }] })).toEqual({ status: 200, body: { message: "success", warnings: [none] } });
  expect(await send("pg_track_tables", { tables: [{ table: "author" }, { table: "nothing" }] })).toMatchObject({
    status: 400,
    body: { error: "all tables failed to track", code: "invalid-configuration", internal: [warning("author", 'view/table already tracked: "author"'), none] },
  });
  const misnamed = { table: "article", configuration: { column_config: { colour: { custom_name: "shade" } } } };
  const noColour = warning("article", "Inconsistent object: there is no column colour");
  expect(await send("pg_track_tables", { tables: [{ table: "author" }, misnamed] })).toMatchObject({ status: 400, body: { error: "all tables failed to track", internal: [{ name: "table author in source default" }, noColour] } });
  const strict = { tables: [{ table: "author" }, { table: "article" }], allow_warnings: false };
  expect(await send("pg_track_tables", strict)).toMatchObject({ status: 400, body: { code: "metadata-warnings", error: "failed due to metadata warnings" } });
  expect(await engine.ask("{ article { id } }")).toHaveProperty("errors");
  expect(await send("pg_track_tables", { tables: [{ table: "article" }] })).toEqual(success);
  await engine.metadata(articles);
  expect(await send("pg_untrack_tables", { tables: [{ table: "article" }] })).toEqual(
    refused("dependency-error", 'cannot drop due to the following dependent objects: relationship author.articles in source "default"'),
  );
  expect(await send("pg_untrack_tables", { tables: [{ table: "article" }, { table: "author" }] })).toEqual(success);
});

test("rejects a stale resource_version, and inconsistencies do not block commands", async () => {
  const metadata = { version: 3, sources: [{ name: "default", kind: "postgres", configuration, tables: [{ table: "gone" }] }] };
  expect(await send("replace_metadata", { allow_inconsistent_metadata: true, metadata })).toMatchObject({ status: 200, body: { is_consistent: false } });
  expect(await engine.metadata({ ...tables[0], resource_version: 1 })).toMatchObject({ status: 409, body: { code: "conflict" } });
  expect(await engine.metadata({ ...tables[0], resource_version: await versionOf() })).toEqual(success);
  expect((await send("get_inconsistent_metadata", {})).body).toMatchObject({ is_consistent: false, inconsistent_objects: [{ type: "table", name: "table gone in source default" }] });
  expect(await send("drop_inconsistent_metadata", {})).toEqual(success);
  expect((await send("get_inconsistent_metadata", {})).body).toEqual({ is_consistent: true, inconsistent_objects: [] });
});
