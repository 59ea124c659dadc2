import fc from "fast-check";
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
} from "graphql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, type Engine } from "@routeql/engine";
import { EngineError } from "@routeql/engine/errors";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { sessionOf } from "./support/routing.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;
let engine: Engine;

const relations = (name: string, column: string) => [{ name, using: { foreign_key_constraint_on: column } }];

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(`
    create type public.mood as enum ('fine', 'bad');
    create table public.writer (id int primary key, name text, born date, rank numeric, ratio float8, ok boolean, doc jsonb, seen timestamptz, net inet, mood public.mood, code char(3), big bigint);
    create table public.work (id int primary key, writer_id int references public.writer, title varchar(20), length smallint, span interval, open boolean);
    insert into public.writer select i, case when i % 4 > 0 then 'w' || i end, date '2020-01-01' + i, i / 3.0, nullif(i % 3, 2), i % 2 = 0, '{"a": [1, null]}', '2020-01-01', '10.0.0.0/24', 'fine', 'abc', 9007199254740993 from generate_series(1, 6) i;
    insert into public.work select i, nullif(i % 7, 0), 't' || i, i, '1 day', i % 3 = 0 from generate_series(1, 20) i;
    create function public.find_works(part text, longest int default 10) returns setof public.work language sql stable as $$ select * from public.work where title like part and length <= longest $$;
    create function public.label(writer public.writer, mark text) returns text language sql stable as $$ select mark || writer.name $$;`);
  const own = { writer_id: { _eq: "X-Hasura-User-Id" } };
  engine = await createEngine({
    metadata: {
      version: 3,
      sources: [
        sourceAt(database.getConnectionUri("bootstrap"), {
          tables: [
            {
              table: "writer",
              array_relationships: [
                { name: "works", using: { foreign_key_constraint_on: { table: "work", column: "writer_id" } } },
              ],
              computed_fields: [{ name: "label", definition: { function: "label" } }],
              select_permissions: [
                {
                  role: "user",
                  permission: {
                    columns: ["id", "name", "doc"],
                    computed_fields: ["label"],
                    filter: { works: own },
                    limit: 3,
                    allow_aggregations: true,
                  },
                },
                { role: "guest", permission: { columns: ["name", "born", "mood"], filter: {} } },
              ],
            },
            {
              table: "work",
              object_relationships: relations("writer", "writer_id"),
              select_permissions: [
                {
                  role: "user",
                  permission: { columns: "*", filter: { _or: [own, { open: true }] }, allow_aggregations: true },
                },
                { role: "guest", permission: { columns: ["title"], filter: { open: true } } },
              ],
            },
          ],
          functions: [{ function: "find_works" }],
        }),
      ],
      inherited_roles: [{ role_name: "both", role_set: ["user", "guest"] }],
    },
    poolSize: 2,
  });
});

afterAll(async () => {
  await engine.close();
  await database.stop();
});

const fitting: Readonly<Record<string, readonly string[]>> = {
  Int: ["1", "3"],
  String: ['"w1"', '"%1"'],
  Boolean: ["true", "false"],
  Float: ["0.5"],
  jsonb: ["{a: [1]}", '"a"'],
  date: ['"2020-01-03"'],
  mood: ['"fine"'],
  bigint: ["5"],
  numeric: ["1.5"],
};
/**
 * Operations that Postgres rejects as invalid: operators with text that Postgres parses as a program, and an order of distinct rows
 * with duplicate or hidden columns.
 */
const unread = /^(_jsonb_path_|distinct_on$)/;
const odd = [
  "0",
  "-1",
  "2147483648",
  "99999999999999999999",
  "1e400",
  '""',
  '"["',
  '"\\\\"',
  '"\\u0000"',
  '"\\ud800"',
  "null",
  "[]",
  "{}",
  "[null]",
  "[[1]]",
  "{a: 1}",
  "fine",
  "true",
  "1.5",
];

/** A random query of the schema, with some invalid values; deterministic for a seed. */
class Drawing {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  #below(count: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * count);
  }

  #chance(percent: number): boolean {
    return this.#below(100) < percent;
  }

  #one<Item>(items: readonly Item[]): Item {
    return items[this.#below(items.length)] as Item;
  }

  #some<Item>(items: readonly Item[], most: number): readonly Item[] {
    return Array.from({ length: 1 + this.#below(most) }, () => this.#one(items));
  }

  #value(type: GraphQLInputType, depth: number): string {
    if (isNonNullType(type)) return this.#value(type.ofType, depth);
    if (this.#chance(3)) return this.#one(odd);
    if (isListType(type))
      return this.#chance(15)
        ? this.#value(type.ofType, depth)
        : `[${Array.from({ length: this.#one([0, 1, 2]) }, () => this.#value(type.ofType, depth - 1)).join(", ")}]`;
    if (isEnumType(type)) return this.#one(type.getValues()).name;
    if (!isInputObjectType(type)) return this.#one(this.#chance(80) ? (fitting[type.name] ?? ['"1"']) : odd);
    const fields = Object.values(type.getFields()).filter(({ name }) => !unread.test(name));
    const shallow = fields.filter((field) => !isInputObjectType(getNamedType(field.type)));
    const optional = depth > 0 ? fields : shallow;
    const chosen = new Set([
      ...fields.filter((field) => isNonNullType(field.type)),
      ...(optional.length === 0 ? [] : this.#some(optional, 2)),
    ]);
    return `{${[...chosen].map((field) => `${field.name}: ${this.#value(field.type, depth - 1)}`).join(", ")}}`;
  }

  #arguments(all: readonly GraphQLArgument[]): string {
    const given = all.filter(({ name, type }) => !unread.test(name) && this.#chance(isNonNullType(type) ? 98 : 35));
    return given.length === 0
      ? ""
      : `(${given.map(({ name, type }) => `${name}: ${this.#value(type, 3)}`).join(", ")})`;
  }

  selection(type: GraphQLObjectType, depth: number): string {
    const fields = this.#some(Object.values(type.getFields()), 3).flatMap((field, index) => {
      const below = getNamedType(field.type);
      if (isObjectType(below) && depth === 0) return [];
      const alias = this.#chance(80) ? `a${index}: ` : "";
      const directive = this.#chance(5)
        ? this.#one([" @skip(if: true)", " @include(if: false)", " @other", " @skip(if: null)"])
        : "";
      return [
        `${alias}${field.name}${this.#arguments(field.args)}${directive}${isObjectType(below) ? ` ${this.selection(below, depth - 1)}` : ""}`,
      ];
    });
    return `{ ${["__typename", ...fields].join(" ")} }`;
  }
}

/** Whether an error is one that Hasura's SQL has too (docs/reference/engine.md): a count of no column, or of several in a condition. */
function failsAsInHasura(query: string, { message, cause }: Error): boolean {
  if (message !== "database query error" || !(cause instanceof Error)) return false;
  return cause.message === 'syntax error at or near ")"'
    ? query.includes("count(columns: []")
    : /^function count\(.+, .+\) does not exist$/.test(cause.message) && /\barguments: \[\w+, /.test(query);
}

const faultsOfClients = new Set([
  "bad-request",
  "not-supported",
  "validation-failed",
  "parse-failed",
  "data-exception",
]);

test.each(["admin", "user", "guest", "both"])(
  "answers any query of the schema of %s, or rejects it as the client's fault",
  async (role) => {
    const root = buildSchema(engine.schemaText(role)).getQueryType();
    if (!root) throw new Error("there is no query type");
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const query = new Drawing(seed).selection(root, 3);
        try {
          const answer = await engine.execute({ query }, sessionOf(role, { "x-hasura-user-id": "1" }));
          expect(JSON.parse(answer)).toMatchObject({ data: { __typename: "query_root" } });
          answered += 1;
        } catch (error) {
          if (
            !failsAsInHasura(query, error as Error) &&
            !(error instanceof EngineError && faultsOfClients.has(error.code))
          )
            throw new Error(`${query}\n${String(error)}`, { cause: error });
        }
      }),
      { numRuns: 300, endOnFailure: true },
    );
    expect(answered).toBeGreaterThan(30);
  },
  120_000,
);
