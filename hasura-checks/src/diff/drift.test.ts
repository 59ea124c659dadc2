import { describe, expect, test } from "vitest";
import { drift } from "./drift.ts";

const sides = { first: "here", second: "there" };
const metadata = (table: Readonly<Record<string, unknown>>, more: Readonly<Record<string, unknown>> = {}) => ({
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      tables: [{ table: { schema: "public", name: "note" }, ...table }],
      configuration: { connection_info: { database_url: { from_env: "X" } } },
    },
  ],
  ...more,
});
const select = (permission: Readonly<Record<string, unknown>>, role = "reader") => ({
  select_permissions: [{ role, permission: { columns: ["id", "title"], filter: {}, ...permission } }],
});
const words = (one: unknown, other: unknown) => drift(one, other, sides).map(({ reason }) => reason);

describe("equivalent metadata has no drift", () => {
  test.each([
    [
      "defaults that are written down",
      metadata(select({})),
      metadata({
        ...select({ allow_aggregations: false, computed_fields: [], limit: null }),
        is_enum: false,
        configuration: {},
      }),
    ],
    ["the order of columns", metadata(select({})), metadata(select({ columns: ["title", "id"] }))],
    [
      "the order of permissions",
      metadata({
        select_permissions: [
          { role: "a", permission: { columns: [], filter: {} } },
          { role: "b", permission: { columns: [], filter: {} } },
        ],
      }),
      metadata({
        select_permissions: [
          { role: "b", permission: { columns: [], filter: {} } },
          { role: "a", permission: { columns: [], filter: {} } },
        ],
      }),
    ],
    [
      "a table by its name alone",
      metadata({}),
      { ...metadata({}), sources: [{ ...metadata({}).sources[0], tables: [{ table: "note" }] }] },
    ],
    [
      "a foreign key by one column",
      metadata({ object_relationships: [{ name: "r", using: { foreign_key_constraint_on: "a" } }] }),
      metadata({ object_relationships: [{ name: "r", using: { foreign_key_constraint_on: ["a"] } }] }),
    ],
    [
      "names of columns as Hasura exports them twice",
      metadata({ configuration: { column_config: { a: { custom_name: "b" } } } }),
      metadata({ configuration: { column_config: { a: { custom_name: "b" } }, custom_column_names: { a: "b" } } }),
    ],
    ["empty files", metadata({}), metadata({}, { actions: [], inherited_roles: [], network: {} })],
  ])("by %s", (_what, one, other) => {
    expect(words(one, other)).toEqual([]);
    expect(words(other, one)).toEqual([]);
  });
});

test.each([
  [
    "a limit",
    metadata(select({ limit: 5 })),
    metadata(select({ limit: 50 })),
    "table public.note, select permission of reader, limit is 5 here, and 50 there",
  ],
  [
    "a limit that is gone",
    metadata(select({ limit: 5 })),
    metadata(select({})),
    "table public.note, select permission of reader, limit is only here (5)",
  ],
  [
    "a column",
    metadata(select({})),
    metadata(select({ columns: ["id", "title", "secret"] })),
    "table public.note, select permission of reader, columns has secret only there",
  ],
  [
    "a filter",
    metadata(select({ filter: { owner: "X-Hasura-User-Id" } })),
    metadata(select({})),
    'table public.note, select permission of reader, filter is {"owner":"X-Hasura-User-Id"} here, and {} there',
  ],
  [
    "a role",
    metadata(select({}, "reader")),
    metadata({ select_permissions: [...select({}).select_permissions, ...select({}, "other").select_permissions] }),
    "table public.note, select permission of other is only there",
  ],
  [
    "no columns for all of them",
    metadata(select({ query_root_fields: [] })),
    metadata(select({})),
    "table public.note, select permission of reader, query_root_fields is only here ([])",
  ],
  [
    "a table",
    metadata({}),
    { ...metadata({}), sources: [{ ...metadata({}).sources[0], tables: [] }] },
    "table public.note is only here",
  ],
])("reports %s in words", (_what, one, other, reason) => {
  expect(words(one, other)).toEqual([reason]);
});

test("a difference has its place in the first metadata", () => {
  expect(drift(metadata(select({ limit: 5 })), metadata(select({ limit: 6 })), sides)[0]?.at).toEqual([
    "sources",
    0,
    "tables",
    0,
    "select_permissions",
    0,
    "permission",
  ]);
});
