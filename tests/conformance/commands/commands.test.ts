import { describe, expect, test } from "vitest";
import { EngineError } from "@routeql/engine/errors";
import type { Command } from "./change.ts";
import { commands } from "./commands.ts";

const metadata = {
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: { database_url: { from_env: "A" } } },
      tables: [
        {
          table: "author",
          select_permissions: [{ role: "user", permission: { columns: ["id"], filter: {} } }],
          object_relationships: [{ name: "home", using: { foreign_key_constraint_on: "home_id" } }],
          array_relationships: [
            { name: "articles", using: { foreign_key_constraint_on: { table: "article", column: "author_id" } } },
          ],
          computed_fields: [{ name: "loud", definition: { function: "shout" } }],
        },
        { table: { schema: "old", name: "article" } },
      ],
      functions: [{ function: { schema: "old", name: "search" }, permissions: [{ role: "user" }] }],
      logical_models: [
        {
          name: "number",
          fields: [],
          select_permissions: [{ role: "user", permission: { columns: "*", filter: {} } }],
        },
      ],
      native_queries: [
        { root_field_name: "numbers", code: "SELECT 1 AS n", returns: "number" },
        { root_field_name: "own", code: "SELECT 1 AS n", returns: { fields: [] } },
      ],
    },
    { name: "other", kind: "postgres", configuration: {}, tables: [] },
  ],
  query_collections: [
    { name: "kept", definition: { queries: [{ name: "one", query: "{ a }" }] } },
    { name: "listed", definition: { queries: [] } },
  ],
  allowlist: [{ collection: "listed" }],
  inherited_roles: [{ role_name: "both", role_set: ["user", "guest"] }],
};

function find(type: string): Command {
  const command = commands.get(type.replace(/^pg_/, ""));
  if (command === undefined) throw new Error(`there is no command ${type}`);
  return command;
}

function refusalOf(type: string, args: unknown): unknown {
  try {
    find(type)(metadata, args);
  } catch (error) {
    if (error instanceof EngineError) return [error.status, error.code, error.path, error.message];
    throw error;
  }
  return undefined;
}

const author = { table: "author" };
const old = { schema: "old", name: "article" };

describe("rejects invalid commands before the databases are queried, with Hasura's messages", () => {
  test.each<[string, object, string, string, string?]>([
    ["pg_track_table", { source: "none", table: "a" }, "not-exists", 'source with name "none" does not exist'],
    ["pg_track_table", author, "already-tracked", 'view/table already tracked: "author"'],
    ["pg_track_table", old, "already-tracked", 'view/table already tracked: "old.article"'],
    [
      "pg_track_table",
      { table: { schema: "old", name: "search" } },
      "not-supported",
      'function with name "old.search" already exists',
    ],
    ["pg_untrack_table", { table: "article" }, "already-untracked", 'view/table already untracked: "article"'],
    [
      "pg_untrack_table",
      { source: "other", table: "author" },
      "already-untracked",
      'view/table already untracked: "author"',
    ],
    [
      "pg_set_table_customization",
      { table: "none", configuration: {} },
      "not-exists",
      'table "none" does not exist in source: default',
    ],
    [
      "pg_set_table_is_enum",
      { table: "none", is_enum: true },
      "not-exists",
      'table "none" does not exist in source: default',
    ],
    [
      "pg_set_table_is_enum",
      author,
      "parse-failed",
      "Invalid input: expected boolean, received undefined",
      "$.args.is_enum",
    ],
    [
      "pg_create_select_permission",
      { ...author, role: "user", permission: {} },
      "already-exists",
      'select permission already defined on table "author" with role "user"',
    ],
    [
      "pg_create_select_permission",
      { table: old, role: "admin", permission: {} },
      "already-exists",
      'select permission already defined on table "old.article" with role "admin"',
    ],
    [
      "pg_drop_select_permission",
      { ...author, role: "guest" },
      "permission-denied",
      'select permission on "author" for role "guest" does not exist',
    ],
    [
      "pg_drop_insert_permission",
      { ...author, role: "user" },
      "permission-denied",
      'insert permission on "author" for role "user" does not exist',
    ],
    [
      "pg_set_permission_comment",
      { ...author, role: "guest", permission: "select" },
      "permission-denied",
      `'select' permission on "author" for role "guest" does not exist`,
    ],
    [
      "pg_create_object_relationship",
      { ...author, name: "articles", using: {} },
      "already-exists",
      'field with name "articles" already exists in table "author"',
    ],
    [
      "pg_create_array_relationship",
      { ...author, name: "loud", using: {} },
      "already-exists",
      'field with name "loud" already exists in table "author"',
    ],
    ["pg_drop_relationship", { ...author, relationship: "none" }, "not-exists", 'relationship "none" does not exist'],
    [
      "pg_set_relationship_comment",
      { ...author, relationship: "none", comment: "" },
      "not-exists",
      'relationship "none" does not exist',
    ],
    [
      "pg_rename_relationship",
      { ...author, name: "home", new_name: "articles" },
      "already-exists",
      'cannot rename relationship "home" to "articles" in table "author" as a column/relationship with the name already exists',
    ],
    ["pg_track_function", { source: "none", function: "f" }, "not-exists", '"none" is not a known postgres source'],
    [
      "pg_track_function",
      { function: { schema: "old", name: "search" } },
      "already-tracked",
      'function already tracked: "old.search"',
    ],
    ["pg_track_function", { function: old }, "not-supported", 'table with name "old.article" already exists'],
    ["pg_untrack_function", { function: "none" }, "not-exists", 'function "none" does not exist in source: default'],
    [
      "pg_set_function_customization",
      { function: "none", configuration: {} },
      "not-exists",
      'function "none" does not exist in source: default',
    ],
    [
      "pg_create_function_permission",
      { function: { schema: "old", name: "search" }, role: "user" },
      "already-exists",
      'permission of role "user" already exists for function "old.search" in source: "default"',
    ],
    [
      "pg_drop_function_permission",
      { function: "none", role: "user" },
      "not-exists",
      'permission of role "user" does not exist for function "none" in source: "default"',
    ],
    [
      "pg_add_computed_field",
      { table: "none", name: "a", definition: {} },
      "not-exists",
      'table "none" does not exist in source: default',
      "$.args.table",
    ],
    [
      "pg_drop_computed_field",
      { ...author, name: "none" },
      "not-exists",
      'computed field "none" does not exist',
      "$.args.name",
    ],
    [
      "pg_track_native_query",
      { source: "none", root_field_name: "a", code: "", returns: "number" },
      "not-found",
      "Source 'none' of kind postgres not found.",
    ],
    [
      "pg_track_native_query",
      { source: "default", root_field_name: "numbers", code: "", returns: "number" },
      "already-tracked",
      "Native query 'numbers' is already tracked.",
    ],
    [
      "pg_untrack_native_query",
      { source: "none", root_field_name: "numbers" },
      "not-found",
      'Source "none" not found.',
    ],
    [
      "pg_untrack_native_query",
      { source: "default", root_field_name: "none" },
      "not-found",
      'Native query "none" not found in source "default".',
    ],
    ["pg_track_logical_model", { source: "none", name: "a", fields: [] }, "not-found", "Source none not found."],
    [
      "pg_track_logical_model",
      { source: "default", name: "number", fields: [] },
      "already-tracked",
      "Logical model 'number' is already tracked.",
    ],
    [
      "pg_untrack_logical_model",
      { source: "default", name: "number" },
      "constraint-violation",
      'Logical model "number" still being used by native query "numbers".',
    ],
    [
      "pg_untrack_logical_model",
      { source: "default", name: "none" },
      "not-found",
      'Logical model "none" not found in source "default".',
    ],
    [
      "pg_create_logical_model_select_permission",
      { name: "none", role: "user", permission: {} },
      "not-found",
      'Logical model "none" not found in source "default".',
    ],
    [
      "pg_create_logical_model_select_permission",
      { type: "native_query", name: "none", role: "user", permission: {} },
      "not-found",
      'Native query "none" not found in source "default".',
    ],
    [
      "create_query_collection",
      { name: "kept", definition: { queries: [] } },
      "already-exists",
      'query collection with name "kept" already exists',
      "$.args.name",
    ],
    [
      "create_query_collection",
      {
        name: "new",
        definition: {
          queries: [
            { name: "a", query: "{ a }" },
            { name: "a", query: "{ b }" },
          ],
        },
      },
      "not-supported",
      'found duplicate query names "a"',
      "$.args.definition.queries",
    ],
    [
      "rename_query_collection",
      { name: "none", new_name: "some" },
      "not-exists",
      'query collection with name "none" does not exist',
    ],
    [
      "rename_query_collection",
      { name: "kept", new_name: "listed" },
      "already-exists",
      'query collection with name "listed" already exists',
      "$.args.new_name",
    ],
    [
      "drop_query_collection",
      { collection: "listed", cascade: false },
      "dependency-error",
      'query collection with name "listed" is present in the allowlist; cannot proceed to drop',
      "$.args.collection",
    ],
    [
      "add_query_to_collection",
      { collection_name: "kept", query_name: "one", query: "{ b }" },
      "already-exists",
      'query with name "one" already exists in collection "kept"',
    ],
    [
      "drop_query_from_collection",
      { collection_name: "kept", query_name: "two" },
      "not-found",
      'query with name "two" not found in collection "kept"',
    ],
    [
      "add_collection_to_allowlist",
      { collection: "none" },
      "not-exists",
      'query collection with name "none" does not exist',
      "$.args.collection",
    ],
    [
      "update_scope_of_collection_in_allowlist",
      { collection: "kept", scope: { global: true } },
      "not-found",
      `collection "kept" doesn't exist in the allowlist`,
    ],
    [
      "add_inherited_role",
      { role_name: "a", role_set: ["a", "b"] },
      "invalid-params",
      "an inherited role name cannot be in the role combination",
    ],
    ["drop_inherited_role", { role_name: "none" }, "not-exists", `"none" inherited role doesn't exist`],
    ["pg_untrack_table", { ...author, cascaed: true }, "parse-failed", 'Unrecognized key: "cascaed"'],
  ])("%s %j", (type, args, code, message, path = "$.args") => {
    expect(refusalOf(type, args)).toEqual([400, code, path, message]);
  });
});

describe("commands change the metadata", () => {
  const made = (type: string, args: object) => find(type)(metadata, args) as typeof metadata;
  const [source] = metadata.sources;

  test.each<[string, object, (changed: typeof metadata) => unknown, unknown]>([
    [
      "pg_track_table",
      { source: "other", table: "a", is_enum: true },
      ({ sources }) => sources[1]?.tables,
      [{ table: { schema: "public", name: "a" }, is_enum: true }],
    ],
    [
      "pg_track_table",
      { schema: "old", name: "b" },
      ({ sources }) => sources[0]?.tables[2],
      { table: { schema: "old", name: "b" } },
    ],
    [
      "pg_set_table_is_enum",
      { ...author, is_enum: true },
      ({ sources }) => sources[0]?.tables[0],
      { ...source?.tables[0], is_enum: true },
    ],
    [
      "pg_drop_select_permission",
      { ...author, role: "user" },
      ({ sources }) => sources[0]?.tables[0],
      { ...source?.tables[0], select_permissions: [] },
    ],
    [
      "pg_create_update_permission",
      { ...author, role: "user", permission: { columns: [] } },
      ({ sources }) => sources[0]?.tables[0],
      { ...source?.tables[0], update_permissions: [{ role: "user", permission: { columns: [] } }] },
    ],
    [
      "pg_add_computed_field",
      { ...author, name: "loud", definition: { function: "cry" } },
      ({ sources }) => sources[0]?.tables[0],
      { ...source?.tables[0], computed_fields: [{ name: "loud", definition: { function: "cry" } }] },
    ],
    ["pg_drop_logical_model_select_permission", { name: "number", role: "none" }, ({ sources }) => sources[0], source],
    [
      "pg_create_logical_model_select_permission",
      { type: "native_query", name: "own", role: "user", permission: { columns: "*" } },
      ({ sources }) => sources[0]?.native_queries?.[1]?.returns,
      { fields: [], select_permissions: [{ role: "user", permission: { columns: "*" } }] },
    ],
    [
      "pg_create_logical_model_select_permission",
      { type: "native_query", name: "numbers", role: "user", permission: { columns: "*" } },
      ({ sources }) => sources[0],
      source,
    ],
    [
      "rename_query_collection",
      { name: "listed", new_name: "shown" },
      ({ query_collections: [, second], allowlist }) => [second?.name, allowlist],
      ["shown", [{ collection: "shown" }]],
    ],
    [
      "drop_query_collection",
      { collection: "listed", cascade: true },
      ({ query_collections: all, allowlist }) => [all.length, allowlist],
      [1, []],
    ],
    [
      "add_query_to_collection",
      { collection_name: "listed", query_name: "two", query: "{ b }" },
      ({ query_collections: [, second] }) => second?.definition.queries,
      [{ name: "two", query: "{ b }" }],
    ],
    [
      "add_inherited_role",
      { role_name: "both", role_set: ["user"] },
      ({ inherited_roles: roles }) => roles,
      [{ role_name: "both", role_set: ["user"] }],
    ],
    [
      "set_graphql_schema_introspection_options",
      { disabled_for_roles: ["user"] },
      (changed) => (changed as object as Record<string, unknown>)["graphql_schema_introspection"],
      { disabled_for_roles: ["user"] },
    ],
  ])("%s %j", (type, args, look, expected) => {
    const before = structuredClone(metadata);
    expect(look(made(type, args))).toEqual(expected);
    expect(metadata).toEqual(before);
  });

  test("a collection already in the allow list keeps its scope", () => {
    expect(
      find("add_collection_to_allowlist")(metadata, {
        collection: "listed",
        scope: { global: false, roles: ["user"] },
      }),
    ).toBe(metadata);
  });

  test("track_tables tracks as many tables as possible and fails without any", () => {
    const tables = [{ table: "author" }, { source: "other", table: "a" }];
    expect(made("pg_track_tables", { tables }).sources[1]?.tables).toEqual([
      { table: { schema: "public", name: "a" } },
    ]);
    expect(refusalOf("pg_track_tables", { tables: [author] })).toEqual([
      400,
      "invalid-configuration",
      "$.args",
      'all tables failed: view/table already tracked: "author"',
    ]);
    expect(refusalOf("pg_track_tables", { tables, allow_warnings: false })).toEqual([
      400,
      "metadata-warnings",
      "$.args",
      "failed due to metadata warnings",
    ]);
    expect(made("pg_untrack_tables", { tables: [author, { table: "none" }] }).sources[0]?.tables).toHaveLength(1);
  });
});
