import type { Inconsistency } from "@routeql/metadata/read/problems";
import { expect, test } from "vitest";
import { dropInconsistent, hasuraObject } from "./inconsistencies.ts";

const problem = (at: Inconsistency["at"], kind: Inconsistency["kind"] = "inconsistent"): Inconsistency => ({
  at,
  kind,
  file: "metadata",
  path: "",
  reason: "",
  type: "table",
  name: "",
  definition: null,
});

const metadata = {
  version: 3,
  sources: [
    {
      name: "default",
      tables: [
        { table: "a", configuration: { column_config: { gone: { custom_name: "x" }, kept: { custom_name: "y" } } } },
        {
          table: "b",
          select_permissions: [{ role: "one" }, { role: "two" }, { role: "three" }],
          insert_permissions: [{ role: "one" }],
          update_permissions: [{ role: "one" }, { role: "two" }],
          delete_permissions: [{ role: "one" }, { role: "two" }],
          event_triggers: [{ name: "t" }],
        },
        { table: "c" },
      ],
      logical_models: [
        { name: "m", fields: [{ name: "bad" }] },
        { name: "n", select_permissions: [{ role: "one" }, { role: "two" }] },
      ],
      native_queries: [
        { root_field_name: "q", code: "bad" },
        { root_field_name: "r", array_relationships: [{ name: "bad" }, { name: "good" }] },
      ],
    },
  ],
  inherited_roles: [{ role_name: "r" }],
};

test("each problem removes its enclosing object, also several of one list; unserved ones stay", () => {
  const table = ["sources", 0, "tables"];
  expect(
    dropInconsistent(metadata, [
      problem([...table, 1, "select_permissions", 0, "permission", "columns", 3]),
      problem([...table, 1, "select_permissions", 2, "permission", "filter", "id"]),
      problem([...table, 1, "select_permissions", 2, "permission", "columns", 0]),
      problem([...table, 1, "insert_permissions", 0, "permission", "set", "id"]),
      problem([...table, 1, "update_permissions", 1, "permission", "check", "id"]),
      problem([...table, 1, "delete_permissions", 0, "permission", "filter", "id"]),
      problem([...table, 0, "configuration", "column_config", "gone"]),
      problem([...table, 2, "table"]),
      problem(["sources", 0, "logical_models", 0, "fields", 0]),
      problem(["sources", 0, "logical_models", 1, "select_permissions", 1, "permission", "filter"]),
      problem(["sources", 0, "native_queries", 0, "code"]),
      problem(["sources", 0, "native_queries", 1, "array_relationships", 0, "using"]),
      problem(["inherited_roles", 0]),
      problem([...table, 1, "event_triggers"], "unsupported"),
    ]),
  ).toEqual({
    version: 3,
    sources: [
      {
        name: "default",
        tables: [
          { table: "a", configuration: { column_config: { kept: { custom_name: "y" } } } },
          {
            table: "b",
            select_permissions: [{ role: "two" }],
            insert_permissions: [],
            update_permissions: [{ role: "one" }],
            delete_permissions: [{ role: "two" }],
            event_triggers: [{ name: "t" }],
          },
        ],
        logical_models: [{ name: "n", select_permissions: [{ role: "one" }] }],
        native_queries: [{ root_field_name: "r", array_relationships: [{ name: "good" }] }],
      },
    ],
    inherited_roles: [],
  });
});

const tracked = {
  sources: [
    {
      name: "default",
      tables: [
        {
          table: "author",
          select_permissions: [{ role: "user" }],
          update_permissions: [{ role: "user" }],
          object_relationships: [{ name: "home" }],
          array_relationships: [{ name: "articles" }],
          computed_fields: [{ name: "loud" }],
        },
        { table: { schema: "old", name: "article" } },
      ],
      functions: [{ function: "search" }],
      logical_models: [{ name: "number" }],
      native_queries: [{ root_field_name: "numbers" }],
    },
  ],
};

const first = ["sources", 0];

test.each<[readonly (string | number)[], string, string]>([
  [first, "source", "source default"],
  [[...first, "tables", 0, "configuration", "column_config", "gone"], "table", "table author in source default"],
  [[...first, "tables", 1, "table"], "table", "table old.article in source default"],
  [
    [...first, "tables", 0, "object_relationships", 0],
    "object_relation",
    "object_relation home in table author in source default",
  ],
  [
    [...first, "tables", 0, "array_relationships", 0, "using"],
    "array_relation",
    "array_relation articles in table author in source default",
  ],
  [
    [...first, "tables", 0, "computed_fields", 0],
    "computed_field",
    "computed_field loud in table author in source default",
  ],
  [
    [...first, "tables", 0, "select_permissions", 0, "permission", "filter", "id"],
    "select_permission",
    "select_permission user in table author in source default",
  ],
  [
    [...first, "tables", 0, "update_permissions", 0, "permission", "filter", "id"],
    "update_permission",
    "update_permission user in table author in source default",
  ],
  [[...first, "functions", 0], "function", "function search in source default"],
  [[...first, "logical_models", 0, "fields", 0], "logical_model", "logical_model number in source default"],
  [[...first, "native_queries", 0, "code"], "native_query", "native_query numbers in source default"],
])("%j has Hasura's type and names", (at, type, name) => {
  expect(
    hasuraObject(tracked, { at, type: at.length === 2 ? "source" : "table", name: "own", kind: "inconsistent" }),
  ).toEqual({ type, name });
});

test("an inherited role has Hasura's name, and unknown objects have the engine's", () => {
  const role = { at: ["inherited_roles", 0], type: "inherited_role", name: "both", kind: "inconsistent" } as const;
  expect(hasuraObject(tracked, role)).toMatchObject({
    type: "inherited_role",
    name: "inherited_role inherited role both",
  });
  const own = { type: "metadata", name: "sources[0].tables[0].event_triggers" };
  expect(
    hasuraObject(tracked, { ...own, at: [...first, "tables", 0, "event_triggers"], kind: "unsupported" }),
  ).toMatchObject(own);
  expect(
    hasuraObject({}, { type: "table", name: "public.gone", at: [...first, "tables", 7], kind: "inconsistent" }),
  ).toMatchObject({ type: "table", name: "public.gone" });
});
