import { expect, test } from "vitest";
import type { LoadedMetadata, MergedPath } from "./load.ts";
import { mergeLoaded, mergeMetadata } from "./merge.ts";

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

test.each<[MergedPath, string]>([
  [["sources", 0], "own sources.0"],
  [["sources", 0, "kind"], "base sources.0.kind"],
  [
    ["sources", 0, "tables", 0, "select_permissions", 0, "permission"],
    "base sources.0.tables.0.select_permissions.0.permission",
  ],
  [["sources", 0, "tables", 0, "select_permissions", 1, "role"], "own sources.0.tables.1.select_permissions.0.role"],
  [["sources", 0, "tables", 0, "object_relationships", 0], "base sources.0.tables.0.object_relationships.0"],
  [["sources", 0, "tables", 1, "table"], "own sources.0.tables.0.table"],
  [["inherited_roles", 0, "role_set", 1], "own inherited_roles.0.role_set.1"],
  [["version"], "own version"],
])("the part %j of joined metadata comes from %s", (path, place) => {
  const loaded = (name: string, merged: LoadedMetadata["merged"]): LoadedMetadata => ({
    merged,
    problems: [],
    locate: (at) => ({ file: `${name} ${at.join(".")}`, path: "" }),
  });
  const desk = { table: hijacks.table, select_permissions: [{ role: "desk", permission: {} }] };
  const own = {
    ...withTables({ table: { schema: "own", name: "ticket" } }, desk),
    inherited_roles: [{ role_name: "all", role_set: ["desk", "viewer"] }],
  };
  expect(mergeLoaded(loaded("base", base), loaded("own", own)).locate(path).file).toBe(place);
});
