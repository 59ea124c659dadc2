import { expect, test } from "vitest";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { dropInconsistent } from "./inconsistencies.ts";

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
          { table: "b", select_permissions: [{ role: "two" }], event_triggers: [{ name: "t" }] },
        ],
        logical_models: [{ name: "n", select_permissions: [{ role: "one" }] }],
        native_queries: [{ root_field_name: "r", array_relationships: [{ name: "good" }] }],
      },
    ],
    inherited_roles: [],
  });
});
