import { expect, test } from "vitest";
import { metadataShape } from "@routeql/metadata/read/shape";
import { declaredAccess } from "./declared.ts";

const source = (table: object) => ({
  name: "default",
  kind: "postgres",
  configuration: { connection_info: { database_url: "postgres://localhost/x" } },
  tables: [{ table: "note", ...table }],
});
const inherited_roles = [
  { role_name: "outer", role_set: ["both", "guest"] },
  { role_name: "both", role_set: ["writer", "reader"] },
];
const writesOf = (table: object) =>
  declaredAccess(metadataShape.parse({ version: 3, sources: [source(table)], inherited_roles })).writes.map(
    ({ role, operation, columns, presets, filter, check, backendOnly }) => [
      role,
      operation,
      columns,
      presets,
      filter,
      check,
      backendOnly,
    ],
  );

const mine = { owner: "X-Hasura-User-Id" };

test("lists write permissions, and those that inherited roles get", () => {
  const update = { role: "writer", permission: { columns: ["title", "owner"], set: mine, filter: mine } };
  const write = ["update", ["title"], mine, mine, undefined, false];
  expect(writesOf({ update_permissions: [update] })).toEqual([
    ["writer", ...write],
    ["both", ...write],
    ["outer", ...write],
  ]);
});

test("gives an inherited role no write permission that differs between its parts", () => {
  const permission = (role: string, check: object) => ({ role, permission: { check, backend_only: true } });
  expect(
    writesOf({ insert_permissions: [permission("writer", {}), permission("reader", mine)] }).map(([role]) => role),
  ).toEqual(["writer", "reader"]);
  expect(writesOf({ insert_permissions: [permission("writer", mine)] })[0]).toEqual([
    "writer",
    "insert",
    ["*"],
    {},
    undefined,
    mine,
    true,
  ]);
});

test("has no columns for delete", () => {
  expect(writesOf({ delete_permissions: [{ role: "writer", permission: { filter: {} } }] })[0]).toEqual([
    "writer",
    "delete",
    [],
    {},
    {},
    undefined,
    false,
  ]);
});
