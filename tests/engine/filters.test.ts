import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { sessionOf } from "./support/routing.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(`
    create table public.parent (id int primary key, n int, s text);
    create table public.child (id int primary key, parent_id int references public.parent, n int, s text, b boolean);
    insert into public.parent select i, nullif(i % 4, 3), case when i % 5 = 0 then null else 'p' || i % 3 end from generate_series(1, 12) i;
    insert into public.child select i, nullif(1 + i % 13, 13), nullif(i % 5, 4), case when i % 4 = 0 then null else 'c' || i % 3 end, case when i % 3 = 0 then null else i % 2 = 0 end
    from generate_series(1, 40) i;`);
});

afterAll(async () => {
  await database.stop();
});

/** A filter in metadata's form, and independently written SQL by Hasura's rules; `row` is the alias of its rows. */
interface Both {
  readonly filter: object;
  readonly sql: (row: string) => string;
}

let aliases = 0;
const quote = (text: string) => `'${text}'`;

const comparison = fc.oneof(
  fc
    .tuple(fc.constantFrom("_gt", "_gte", "_lt", "_lte"), fc.integer({ min: -1, max: 5 }))
    .map(([operator, value]): Both => {
      const symbol = { _gt: ">", _gte: ">=", _lt: "<", _lte: "<=" }[operator];
      return { filter: { n: { [operator]: value } }, sql: (row) => `${row}.n ${symbol ?? ""} ${value}` };
    }),
  fc
    .integer({ min: -1, max: 5 })
    .map((value): Both => ({ filter: { n: { _eq: value } }, sql: (row) => `${row}.n = ${value}` })),
  fc
    .constantFrom("p1", "c1", "c2")
    .map((value): Both => ({ filter: { s: { _neq: value } }, sql: (row) => `${row}.s <> ${quote(value)}` })),
  fc
    .subarray([0, 1, 2])
    .map((values): Both => ({
      filter: { n: { _in: values } },
      sql: (row) => `${row}.n = any ('{${values.join(",")}}')`,
    })),
  fc
    .subarray(["c0", "p1"])
    .map((values): Both => ({
      filter: { s: { _nin: values } },
      sql: (row) => `${row}.s <> all ('{${values.join(",")}}')`,
    })),
  fc
    .constantFrom("%1", "c_", "p%")
    .map((value): Both => ({ filter: { s: { _like: value } }, sql: (row) => `${row}.s like ${quote(value)}` })),
  fc
    .boolean()
    .map((value): Both => ({
      filter: { s: { _is_null: value } },
      sql: (row) => `${row}.s is ${value ? "" : "not "}null`,
    })),
  fc.constant<Both>({ filter: { n: { _cgt: "id" } }, sql: (row) => `${row}.n > ${row}.id` }),
  fc.constant<Both>({ filter: { n: "X-Hasura-N" }, sql: (row) => `${row}.n = 2` }),
);

function join(items: readonly Both[], word: "and" | "or"): Both {
  const neutral = word === "and" ? "true" : "false";
  return {
    filter: { [`_${word}`]: items.map(({ filter }) => filter) },
    sql: (row) => (items.length === 0 ? neutral : `(${items.map(({ sql }) => `(${sql(row)})`).join(` ${word} `)})`),
  };
}

function filterOf(table: "parent" | "child", depth: number): fc.Arbitrary<Both> {
  if (depth === 0) return comparison;
  const same = filterOf(table, depth - 1);
  const other = table === "child" ? "parent" : "child";
  const related = filterOf(other, depth - 1).map(({ filter, sql }): Both => ({
    filter: { [table === "child" ? "parent" : "children"]: filter },
    sql: (row) => {
      aliases += 1;
      const alias = `a${aliases}`;
      const condition = table === "child" ? `${alias}.id = ${row}.parent_id` : `${alias}.parent_id = ${row}.id`;
      return `exists (select from public.${other} ${alias} where ${condition} and (${sql(alias)}))`;
    },
  }));
  return fc.oneof(
    comparison,
    related,
    same.map(({ filter, sql }): Both => ({ filter: { _not: filter }, sql: (row) => `not (${sql(row)})` })),
    fc.array(same, { maxLength: 3 }).map((items) => join(items, "and")),
    fc.array(same, { maxLength: 3 }).map((items) => join(items, "or")),
  );
}

const relation = (name: string, columns: Record<string, string>) => ({
  name,
  using: { manual_configuration: { remote_table: name === "parent" ? "parent" : "child", column_mapping: columns } },
});

async function engineWith(filter: object) {
  const permission = [{ role: "tested", permission: { columns: "*", filter, allow_aggregations: true } }];
  const open = [{ role: "tested", permission: { columns: "*", filter: {}, allow_aggregations: true } }];
  return createEngine({
    metadata: {
      version: 3,
      sources: [
        sourceAt(database.getConnectionUri("bootstrap"), {
          tables: [
            {
              table: "child",
              object_relationships: [relation("parent", { parent_id: "id" })],
              select_permissions: permission,
            },
            {
              table: "parent",
              array_relationships: [relation("children", { id: "parent_id" })],
              select_permissions: open,
            },
          ],
        }),
      ],
    },
    poolSize: 1,
  });
}

interface Answer {
  readonly data: {
    readonly child: readonly { readonly id: number }[];
    readonly child_aggregate: { readonly aggregate: { readonly count: number } };
    readonly parent: readonly { readonly children: readonly { readonly id: number }[] }[];
  };
}

test("no random filter returns a row that its SQL equivalent does not", async () => {
  await using client = await database.connect("bootstrap");
  await fc.assert(
    fc.asyncProperty(filterOf("child", 3), async ({ filter, sql }) => {
      const engine = await engineWith(filter);
      try {
        const { rows } = await client.query<{ id: number; linked: boolean }>(
          `select id, parent_id is not null as linked from public.child c where ${sql("c")} order by id`,
        );
        const query =
          "{ child(order_by: {id: asc}) { id } child_aggregate { aggregate { count } } parent(order_by: {id: asc}) { children { id } } }";
        const { data } = JSON.parse(
          await engine.execute({ query }, sessionOf("tested", { "x-hasura-n": "2" })),
        ) as Answer;
        expect(data.child.map(({ id }) => id)).toEqual(rows.map(({ id }) => id));
        expect(data.child_aggregate.aggregate.count).toBe(rows.length);
        const nested = data.parent
          .flatMap(({ children }) => children.map(({ id }) => id))
          .sort((one, other) => one - other);
        expect(nested).toEqual(rows.filter(({ linked }) => linked).map(({ id }) => id));
      } finally {
        await engine.close();
      }
    }),
    { numRuns: 150 },
  );
}, 180_000);
