import { describe, expect, test } from "vitest";
import { validateMetadata } from "../metadata/validate.ts";
import { type DeclaredAccess, declaredAccess } from "./declared.ts";

const source = (tables: readonly unknown[], more: Readonly<Record<string, unknown>> = {}) => ({
  name: "default",
  kind: "postgres",
  configuration: { connection_info: { database_url: { from_env: "NOWHERE" } } },
  tables,
  ...more,
});

function derive(sources: readonly unknown[], root: Readonly<Record<string, unknown>> = {}): DeclaredAccess {
  const merged = { version: 3, sources, ...root };
  const { metadata, problems } = validateMetadata({ merged, problems: [], locate: () => ({ file: "", path: "" }) }, false);
  if (metadata === undefined) throw new Error(JSON.stringify(problems));
  return declaredAccess(metadata);
}

const grant = (role: string, permission: Readonly<Record<string, unknown>>) => ({ role, permission: { columns: ["b", "a"], filter: {}, ...permission } });

describe("what a role is granted", () => {
  const access = derive([
    source([
      { table: "plain", select_permissions: [grant("reader", { limit: 5 }), grant("counter", { allow_aggregations: true })] },
      { table: { schema: "other", name: "cut" }, select_permissions: [grant("reader", { allow_aggregations: true, query_root_fields: ["select_aggregate"], subscription_root_fields: [] })] },
    ]),
  ]);

  test("are the operations of a read, with those that aggregate only where they are allowed", () => {
    expect([...(access.permission("reader", "public.plain")?.operations ?? [])]).toEqual(["query", "live query", "stream"]);
    expect([...(access.permission("counter", "public.plain")?.operations ?? [])]).toEqual(["query", "query aggregate", "live query", "live aggregate", "stream"]);
  });

  test("are the root fields that are listed, where they are", () => {
    expect([...(access.permission("reader", "other.cut")?.operations ?? [])]).toEqual(["query aggregate"]);
  });

  test("are columns by name and a limit, or none", () => {
    expect(access.permission("reader", "public.plain")).toMatchObject({ columns: ["a", "b"], limit: 5 });
    expect(access.permission("counter", "public.plain")?.limit).toBeUndefined();
  });

  test("is nothing where nothing is said", () => {
    expect(access.permission("counter", "other.cut")).toBeUndefined();
    expect(access.permission("nobody", "public.plain")).toBeUndefined();
    expect(access.roles).toEqual(["counter", "reader"]);
  });

  test("has the root field that Hasura gives a table outside of public", () => {
    expect(access.tables.get("other.cut")?.rootField).toBe("other_cut");
  });
});

test.each([
  ["two sources", () => derive([source([]), { ...source([]), name: "second" }]), "exactly one source"],
  ["inherited roles", () => derive([source([])], { inherited_roles: [{ role_name: "both", role_set: ["a", "b"] }] }), "inherited roles"],
  ["functions", () => derive([source([], { functions: [{ function: "search" }] })]), "tracked functions"],
  ["all columns", () => derive([source([{ table: "t", select_permissions: [grant("r", { columns: "*" })] }])]), "grants all columns"],
  ["names of their own", () => derive([source([{ table: "t", configuration: { custom_name: "u" } }])]), "names of its own"],
  ["foreign keys", () => derive([source([{ table: "t", object_relationships: [{ name: "r", using: { foreign_key_constraint_on: "x" } }] }])]), "follows a foreign key"],
])("metadata with %s are refused rather than read wrongly", (_what, read, reason) => {
  expect(read).toThrow(reason);
});
