import { expect, test } from "vitest";
import { mergeMetadata } from "./merge.ts";

const hijacks = {
  table: { schema: "public", name: "hijacks" },
  object_relationships: [{ name: "link" }],
  select_permissions: [{ role: "viewer", permission: { columns: ["key"], filter: { ignored: false }, limit: 100 } }],
};
const base = { version: 3, sources: [{ name: "default", kind: "postgres", tables: [hijacks] }] };
const withTables = (...tables: readonly unknown[]) => ({ version: 3, sources: [{ name: "default", tables }] });

test("adds tables, relationships and roles beside those of the base", () => {
  const ticket = { table: { schema: "own", name: "ticket" } };
  const own = withTables(
    {
      table: "hijacks",
      array_relationships: [{ name: "tickets" }],
      select_permissions: [{ role: "desk", permission: {} }],
    },
    ticket,
  );
  const [source] = mergeMetadata(base, own)["sources"] as [Record<string, unknown>];
  expect(source).toEqual({
    name: "default",
    kind: "postgres",
    tables: [
      {
        ...hijacks,
        table: "hijacks",
        array_relationships: [{ name: "tickets" }],
        select_permissions: [...hijacks.select_permissions, { role: "desk", permission: {} }],
      },
      ticket,
    ],
  });
});

test("replaces a permission as a whole", () => {
  const permission = { role: "viewer", permission: { columns: ["key"], filter: {} } };
  const own = withTables({ table: hijacks.table, select_permissions: [permission] });
  expect(mergeMetadata(base, own)).toEqual({
    version: 3,
    sources: [{ ...base.sources[0], tables: [{ ...hijacks, select_permissions: [permission] }] }],
  });
});

test("equal metadata changes nothing", () => {
  expect(mergeMetadata(base, structuredClone(base))).toEqual(base);
});
