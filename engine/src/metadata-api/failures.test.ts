import { expect, test } from "vitest";
import { hasuraObject } from "./inconsistencies.ts";

const metadata = {
  sources: [
    {
      name: "default",
      tables: [
        {
          table: "author",
          select_permissions: [{ role: "user" }],
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
  [[...first, "functions", 0], "function", "function search in source default"],
  [[...first, "logical_models", 0, "fields", 0], "logical_model", "logical_model number in source default"],
  [[...first, "native_queries", 0, "code"], "native_query", "native_query numbers in source default"],
])("%j has Hasura's type and names", (at, type, name) => {
  expect(
    hasuraObject(metadata, { at, type: at.length === 2 ? "source" : "table", name: "own", kind: "inconsistent" }),
  ).toEqual({ type, name });
});

test("an inherited role has Hasura's name, and unknown objects have the engine's", () => {
  const role = { at: ["inherited_roles", 0], type: "inherited_role", name: "both", kind: "inconsistent" } as const;
  expect(hasuraObject(metadata, role)).toMatchObject({
    type: "inherited_role",
    name: "inherited_role inherited role both",
  });
  const own = { type: "metadata", name: "sources[0].tables[0].event_triggers" };
  expect(
    hasuraObject(metadata, { ...own, at: [...first, "tables", 0, "event_triggers"], kind: "unsupported" }),
  ).toMatchObject(own);
  expect(
    hasuraObject({}, { type: "table", name: "public.gone", at: [...first, "tables", 7], kind: "inconsistent" }),
  ).toMatchObject({ type: "table", name: "public.gone" });
});
