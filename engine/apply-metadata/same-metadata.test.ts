import fc from "fast-check";
import { expect, test } from "vitest";
import { differences, normalMetadata } from "./same-metadata.ts";

const table = (
  changes: Readonly<Record<string, unknown>> = {},
  permission: Readonly<Record<string, unknown>> = {},
) => ({
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      tables: [
        {
          table: { schema: "public", name: "a" },
          select_permissions: [
            {
              role: "viewer",
              permission: { columns: ["id", "name"], filter: { id: { _gt: 1 }, name: { _eq: "x" } }, ...permission },
            },
            { role: "analyst", permission: { columns: "*", filter: {} } },
          ],
          ...changes,
        },
      ],
    },
  ],
});
const same = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  differences(one, other).length === 0;

test.each<[string, Record<string, unknown>]>([
  ["with its keys in another order", Object.fromEntries(Object.entries(table()).toReversed())],
  [
    "with defaults spelled out",
    table({ is_enum: false, array_relationships: [], configuration: {} }, { allow_aggregations: false }),
  ],
  ["with its columns in another order", table({}, { columns: ["name", "id"] })],
  ["with a conjunction spelled out", table({}, { filter: { _and: [{ name: { _eq: "x" } }, { id: { _gt: 1 } }] } })],
])("equal %s compare as equal", (_, other) => {
  expect(differences(table(), other)).toEqual([]);
});

test.each<[string, Record<string, unknown>]>([
  ["another column", table({}, { columns: ["id"] })],
  ["aggregates", table({}, { allow_aggregations: true })],
  ["no root field at all", table({}, { query_root_fields: [] })],
  ["another filter", table({}, { filter: { id: { _gt: 2 }, name: { _eq: "x" } } })],
  ["a filter of less", table({}, { filter: { id: { _gt: 1 } } })],
  ["a disjunction", table({}, { filter: { _or: [{ id: { _gt: 1 } }, { name: { _eq: "x" } }] } })],
  ["a limit", table({}, { limit: 5 })],
])("%s is a difference", (_, other) => {
  expect(same(table(), other)).toBe(false);
  expect(same(other, table())).toBe(false);
});

test("no condition of a filter is ignored, for any column names", () => {
  const asks = (filter: Record<string, unknown>) => table({}, { filter });
  expect(same(asks({ is_enum: false }), asks({}))).toBe(false);
  expect(same(asks({ comment: "" }), asks({}))).toBe(false);
  expect(same(asks({ tables: ["a", "b"] }), asks({ tables: ["b", "a"] }))).toBe(false);
});

test("reports the place of a difference", () => {
  const other = table({}, { limit: 5 });
  expect(differences(table(), other)).toEqual(["sources[0].tables[0].select_permissions[1].permission.limit"]);
});

test("the normal form of any value is its own normal form", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (metadata) => {
      expect(differences(metadata, structuredClone(metadata))).toEqual([]);
      expect(normalMetadata(metadata)).toEqual(normalMetadata(structuredClone(metadata)));
    }),
    { numRuns: 200 },
  );
});
