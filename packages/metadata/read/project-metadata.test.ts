import { resolve } from "node:path";
import { expect, test } from "vitest";
import { loadMetadata } from "./load.ts";
import { validateMetadata } from "./validate.ts";

const { metadata, problems } = validateMetadata(
  loadMetadata(resolve(import.meta.dirname, "../../../hasura-metadata")),
  { allowUnsupported: false },
);
const tables = metadata?.sources[0]?.tables ?? [];
const roles = ["analyst", "operator", "tenant", "viewer"];

test("the metadata has no problems", () => {
  expect(problems).toEqual([]);
});

test.each(["view_bgpupdates", "view_hijacks", "view_bgpupdates_hijacks"])(
  "%s is readable by the four roles that have access, each with a row limit",
  (name) => {
    const permissions = tables.find(({ table }) => table.name === name)?.select_permissions ?? [];
    expect(permissions.map(({ role }) => role).sort()).toEqual(roles);
    expect(Object.fromEntries(permissions.map(({ role, permission }) => [role, permission.limit]))).toEqual({
      analyst: 1000,
      operator: 10_000,
      tenant: 1000,
      viewer: 100,
    });
  },
);

test.each([
  ["view_bgpupdates", 12],
  ["view_hijacks", 26],
])("%s has %i fields for all but the viewer, who lacks two", (name, fields) => {
  for (const { role, permission } of tables.find(({ table }) => table.name === name)?.select_permissions ?? []) {
    expect(permission.columns).toHaveLength(role === "viewer" ? fields - 2 : fields);
  }
});

test("every filter of a tenant uses the organisation", () => {
  const filters = tables.flatMap(({ select_permissions: permissions }) =>
    permissions.filter(({ role }) => role === "tenant").map(({ permission }) => JSON.stringify(permission.filter)),
  );
  expect(filters).toHaveLength(3);
  for (const filter of filters) expect(filter).toContain('"organisation":{"_eq":"X-Hasura-Org-Id"}');
});

test("no role can read the configured prefixes of other users", () => {
  expect(tables.find(({ table }) => table.name === "view_configured_prefixes")?.select_permissions).toEqual([]);
});

test("a viewer sees no ignored hijack", () => {
  const hijacks = tables
    .find(({ table }) => table.name === "view_hijacks")
    ?.select_permissions.find(({ role }) => role === "viewer");
  expect(hijacks?.permission.filter).toEqual({ ignored: { _eq: false } });
});

test("a viewer has no aggregates", () => {
  const granted = tables.flatMap(({ select_permissions: permissions }) =>
    permissions.filter(({ role, permission }) => role === "viewer" && permission.allow_aggregations),
  );
  expect(granted).toEqual([]);
});
