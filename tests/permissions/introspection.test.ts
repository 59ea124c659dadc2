import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DeclaredTable, operations } from "@routeql/metadata/declared/declared";
import { declared, rolesWithoutPermission } from "./support/declared.ts";
import { rootOf } from "./support/probes.ts";
import { sessionOf, World } from "./support/world.ts";

const access = declared();
const tables = [...access.tables.values()];
const roles = [...access.roles, ...rolesWithoutPermission];

interface Named {
  readonly name: string;
  readonly args?: readonly Named[];
}

interface IntrospectedType extends Named {
  readonly fields: readonly Named[] | null;
  readonly inputFields: readonly Named[] | null;
  readonly enumValues: readonly Named[] | null;
}

interface Introspected {
  readonly __schema: {
    readonly types: readonly IntrospectedType[];
    readonly queryType: Named;
    readonly subscriptionType: Named | null;
    readonly mutationType: Named | null;
  };
}

const document = `{ __schema { queryType { name } subscriptionType { name } mutationType { name }
  types { name fields { name args { name } } inputFields { name } enumValues { name } } } }`;

let world: World;
const schemas = new Map<string, Introspected["__schema"]>();

beforeAll(async () => {
  world = await World.start(async () => {});
  for (const role of roles) schemas.set(role, (await world.ask<Introspected>(sessionOf(role), document)).__schema);
});

afterAll(async () => world[Symbol.asyncDispose]());

function namesIn(role: string, typeName: string): readonly string[] | undefined {
  const type = schemas.get(role)?.types.find(({ name }) => name === typeName);
  return type === undefined
    ? undefined
    : (type.fields ?? type.inputFields ?? type.enumValues ?? []).map(({ name }) => name).toSorted();
}

function grantedRoots(role: string, kind: "query" | "subscription"): readonly string[] {
  return tables
    .flatMap((table) =>
      operations
        .filter((operation) => access.permission(role, table.key)?.operations.has(operation) === true)
        .map((operation) => rootOf(table, operation)),
    )
    .flatMap((root) => (root.kind === kind ? [root.field] : []))
    .concat(access.permission(role, "public.view_hijacks") === undefined ? [] : "view_hijacks_by_pk")
    .toSorted();
}

/** Relationships of a table that a role may use. */
function relationshipsOf(role: string, table: DeclaredTable) {
  return table.relationships.flatMap((relationship) => {
    const target = access.permission(role, relationship.target);
    return target === undefined
      ? []
      : [{ ...relationship, aggregated: relationship.kind === "array" && target.aggregates }];
  });
}

describe.each(roles)("the schema of %s", (role) => {
  test("has exactly the declared root fields", () => {
    const subscriptions = grantedRoots(role, "subscription");
    const queries = grantedRoots(role, "query");
    expect(namesIn(role, "query_root")).toEqual(queries.length === 0 ? ["no_queries_available"] : queries);
    expect(namesIn(role, "subscription_root")).toEqual(subscriptions.length === 0 ? undefined : subscriptions);
    if (!["operator", "tenant"].includes(role)) expect(schemas.get(role)?.mutationType).toBeNull();
  });

  test.each(tables.map((table) => [table.rootField, table] as const))(
    "has the declared fields of %s in every place",
    (name, table) => {
      const permission = access.permission(role, table.key);
      if (permission === undefined) {
        expect(
          schemas
            .get(role)
            ?.types.filter((type) => type.name === name || type.name.startsWith(`${name}_`))
            .filter(isOf(name)),
        ).toEqual([]);
        return;
      }
      const { columns } = permission;
      const relationships = relationshipsOf(role, table);
      const fields = relationships.flatMap((relationship) => [
        relationship.name,
        ...(relationship.aggregated ? [`${relationship.name}_aggregate`] : []),
      ]);
      // Hasura lets a role order by aggregates of rows that it may list, even if it may not request their aggregates.
      const ordering = relationships.map(({ name, kind }) => (kind === "object" ? name : `${name}_aggregate`));
      expect({
        rows: namesIn(role, name),
        where: namesIn(role, `${name}_bool_exp`),
        order: namesIn(role, `${name}_order_by`),
        distinct: namesIn(role, `${name}_select_column`),
        cursor: namesIn(role, `${name}_stream_cursor_value_input`),
        aggregate: namesIn(role, `${name}_aggregate`),
      }).toEqual({
        rows: [...columns, ...fields].toSorted(),
        where: [...columns, ...fields, "_and", "_not", "_or"].toSorted(),
        order: [...columns, ...ordering].toSorted(),
        distinct: columns,
        cursor: columns,
        aggregate: permission.aggregates ? ["aggregate", "nodes"] : undefined,
      });
    },
  );

  test("names no hidden object in any type, field, argument or value", () => {
    const visible = new Set(tables.flatMap(({ key }) => access.permission(role, key)?.columns ?? []));
    const hidden = tables.flatMap((table) => {
      const isVisible = access.permission(role, table.key) !== undefined;
      const relationships = table.relationships
        .filter(({ target }) => !isVisible || access.permission(role, target) === undefined)
        .map(({ name }) => name);
      return [
        ...table.columns.filter((column) => !visible.has(column)),
        ...relationships,
        ...(isVisible ? [] : [table.rootField]),
      ];
    });
    const reached = new Set(
      tables.flatMap((table) =>
        access.permission(role, table.key) === undefined ? [] : relationshipsOf(role, table).map(({ name }) => name),
      ),
    );
    const named = namesOf(schemas.get(role)?.types.filter((type) => !type.name.startsWith("__")) ?? []);
    expect(hidden.length).toBeGreaterThan(0);
    expect(hidden.filter((name) => !reached.has(name) && named.has(name))).toEqual([]);
    for (const column of ["organisation", "origins"]) expect(named).not.toContain(column);
    expect([...named].filter((name) => name.startsWith("view_configured_prefixes"))).toEqual([]);
  });

  test("is the same as text", () => {
    const text = world.engine.schemaText(role);
    for (const name of namesOf(schemas.get(role)?.types.filter((type) => !type.name.startsWith("__")) ?? []))
      expect(text).toContain(name);
    expect(text).not.toMatch(/view_configured_prefixes|organisation|origins\b/);
  });
});

/** Longer names of other tables may start with the name of one. */
function isOf(name: string) {
  const longer = tables
    .map(({ rootField }) => rootField)
    .filter((other) => other !== name && other.startsWith(`${name}_`));
  return (type: Named) => longer.every((other) => type.name !== other && !type.name.startsWith(`${other}_`));
}

function namesOf(types: readonly IntrospectedType[]): ReadonlySet<string> {
  return new Set(
    types.flatMap((type) => [
      type.name,
      ...[...(type.fields ?? []), ...(type.inputFields ?? []), ...(type.enumValues ?? [])].flatMap((member) => [
        member.name,
        ...(member.args ?? []).map(({ name }) => name),
      ]),
    ]),
  );
}

describe("design section 1, written by hand", () => {
  test.each([
    ["viewer", "view_hijacks", ["comment", "community_annotation"], 100, false],
    ["viewer", "view_bgpupdates", ["communities", "orig_path"], 100, false],
    ["viewer", "view_bgpupdates_hijacks", [], 100, false],
    ["analyst", "view_hijacks", [], 1000, true],
    ["analyst", "view_bgpupdates", [], 1000, true],
    ["analyst", "view_bgpupdates_hijacks", [], 1000, true],
    ["tenant", "view_hijacks", [], 1000, true],
    ["tenant", "view_bgpupdates", [], 1000, true],
    ["tenant", "view_bgpupdates_hijacks", [], 1000, true],
    ["operator", "view_hijacks", [], 10_000, true],
    ["operator", "view_bgpupdates", [], 10_000, true],
    ["operator", "view_bgpupdates_hijacks", [], 10_000, true],
  ])("%s reads %s without %j, at most %i rows, aggregates: %s", (role, rootField, hidden, limit, aggregates) => {
    const table = access.tables.get(`public.${rootField}`);
    const permission = access.permission(role, `public.${rootField}`);
    expect(permission).toMatchObject({ limit, aggregates });
    expect(table?.columns.filter((column) => permission?.columns.includes(column) !== true)).toEqual(hidden);
  });

  test("grants nothing to other roles and on other views", () => {
    expect(access.roles).toEqual(["analyst", "operator", "tenant", "viewer"]);
    for (const role of roles) expect(access.permission(role, "public.view_configured_prefixes")).toBeUndefined();
    for (const role of rolesWithoutPermission)
      for (const { key } of tables) expect(access.permission(role, key)).toBeUndefined();
  });
});
