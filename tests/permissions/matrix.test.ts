import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type DeclaredTable, operations } from "@routeql/metadata/declared/declared";
import { declared, rolesWithoutPermission } from "./support/declared.ts";
import { outcomeOf } from "./support/outcome.ts";
import { aggregateProbes, columnProbes, type Probe, relationshipProbes, rootOf } from "./support/probes.ts";
import { demoRows, north, sessionOf, World } from "./support/world.ts";

const access = declared();
const tables = [...access.tables.values()];
const roles = [...access.roles, ...rolesWithoutPermission];

let world: World;
/** Postgres type of each column, by table and column, including columns that no role may read. */
const types = new Map<string, ReadonlyMap<string, string>>();

beforeAll(async () => {
  world = await World.start(demoRows);
  for (const { key } of tables) {
    const rows = await world.rows(
      "select attname as name, format_type(atttypid, null) as type from pg_attribute where attrelid = $1::regclass and attnum > 0",
      [key],
    );
    types.set(key, new Map(rows.map(({ name, type }) => [String(name), String(type)])));
  }
});

afterAll(async () => world[Symbol.asyncDispose]());

const columnsOf = (key: string): readonly string[] => [...(types.get(key)?.keys() ?? [])];
const typeOf = (key: string, column: string): string => types.get(key)?.get(column) ?? "none";

/** A value of a type, as GraphQL text. */
function cursorOf(type: string): string {
  if (type.endsWith("[]")) return "[]";
  if (type === "json") return "[]";
  if (type === "boolean") return "false";
  if (type === "inet") return '"192.0.2.0/24"';
  if (type.startsWith("timestamp")) return '"2026-01-01"';
  return type === "bigint" || type === "integer" ? "0" : '""';
}

type Expectation = readonly [Probe, name: string, outcome: string];

/** Runs every document and compares all results at once, so that a failure shows each wrong cell. */
async function hold(role: string, expectations: readonly Expectation[]): Promise<void> {
  const session = sessionOf(role, north);
  const label = ({ use, document }: Probe) => `${use}: ${document}`;
  const found: [string, string][] = [];
  for (const [probe, name] of expectations)
    found.push([label(probe), await outcomeOf(world, session, probe.document, name)]);
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(expectations.map(([probe, , outcome]) => [label(probe), outcome])),
  );
}

const allowed = (probe: Probe, type: string) => (probe.compares && type === "json" ? "no comparison" : "served");

test("each column of a view is granted to some role, or the view to none", () => {
  for (const { key, columns } of tables) {
    if (columns.length > 0) expect(columns.toSorted()).toEqual(columnsOf(key).toSorted());
  }
});

describe.each(roles)("%s", (role) => {
  describe.each(tables.map((table) => [table.rootField, table] as const))("%s", (_rootField, table) => {
    const permission = access.permission(role, table.key);

    test.each(operations)("by %s: serves exactly the declared columns", async (operation) => {
      const granted = permission?.operations.has(operation) === true;
      const { field } = rootOf(table, operation);
      await hold(
        role,
        columnsOf(table.key).flatMap((column) => {
          const type = typeOf(table.key, column);
          return columnProbes(table, operation, column, cursorOf(type)).map((probe): Expectation => {
            if (!granted) return [probe, field, "does not exist"];
            return [probe, column, permission.columns.includes(column) ? allowed(probe, type) : "does not exist"];
          });
        }),
      );
    });

    test("serves through relationships exactly the columns declared at their target", async () => {
      const expectations = table.relationships.flatMap((relationship): Expectation[] => {
        const target = access.permission(role, relationship.target);
        return columnsOf(relationship.target).flatMap((column): Expectation[] => {
          const type = typeOf(relationship.target, column);
          const verdict = (probe: Probe, exists: boolean, name: string): Expectation => {
            if (permission === undefined) return [probe, table.rootField, "does not exist"];
            if (!exists) return [probe, name, "does not exist"];
            return [probe, column, target?.columns.includes(column) === true ? allowed(probe, type) : "does not exist"];
          };
          return [
            ...relationshipProbes(table, relationship, column).map((probe) =>
              verdict(probe, target !== undefined, relationship.name),
            ),
            ...(relationship.kind === "object"
              ? []
              : aggregateProbes(table, relationship, column).map((probe) =>
                  verdict(probe, target?.aggregates === true, `${relationship.name}_aggregate`),
                )),
          ];
        });
      });
      await hold(role, expectations);
    });

    test("aggregate functions accept the declared columns of supported types", async () => {
      const { field } = rootOf(table, "query aggregate");
      const takes: Readonly<Record<string, RegExp>> = {
        max: /^(bigint|integer|text|character varying|timestamp.*)$/,
        sum: /^(bigint|integer)$/,
      };
      await hold(
        role,
        Object.entries(takes).flatMap(([name, fitting]) =>
          columnsOf(table.key)
            .filter((column) => fitting.test(typeOf(table.key, column)))
            .map((column): Expectation => {
              const probe = {
                use: name,
                document: `query { ${field} { aggregate { ${name} { ${column} } } } }`,
                compares: true,
              };
              if (permission?.operations.has("query aggregate") !== true) return [probe, field, "does not exist"];
              return [probe, column, permission.columns.includes(column) ? "served" : "does not exist"];
            }),
        ),
      );
    });
  });
});

test.each(roles)("%s can write nothing", async (role) => {
  const verbs = ["insert", "insert_one", "update", "update_many", "update_by_pk", "delete", "delete_by_pk"];
  for (const { rootField } of tables) {
    for (const verb of verbs) {
      const name = verb.replace(
        /^(\w+?)(_one|_many|_by_pk)?$/,
        (_all, base: string, suffix = "") => `${base}_${rootField}${suffix}`,
      );
      expect(await world.reply(sessionOf(role, north), `mutation { ${name} { affected_rows } }`)).toContain(
        `field '${name}' not found in type: 'mutation_root'`,
      );
    }
  }
});

/** A relationship that leads back to its origin. */
test.each(access.roles)("%s finds the same columns over any path to a table", async (role) => {
  const way = (columns: readonly string[]) =>
    `query { view_hijacks(limit: 1) { update_links(limit: 1) { update { hijack_links(limit: 1) { hijack { ${columns.join(" ")} } } } } } }`;
  const table = access.tables.get("public.view_hijacks") as DeclaredTable;
  const granted = access.permission(role, table.key)?.columns ?? [];
  expect(await world.reply(sessionOf(role, north), way(granted))).toMatch(/^\{"data"/);
  for (const column of table.columns.filter((name) => !granted.includes(name))) {
    expect(await outcomeOf(world, sessionOf(role, north), way([column]), column)).toBe("does not exist");
  }
});
