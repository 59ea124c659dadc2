import { describe, expect, test } from "vitest";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { DeclaredTable } from "./declared.ts";
import { filterSql, filterWords } from "./filter-text.ts";

const table = (
  name: string,
  relationships: DeclaredTable["relationships"] = [],
  types: Readonly<Record<string, DatabaseType>> = {},
): [string, DeclaredTable] => [
  `public.${name}`,
  {
    key: `public.${name}`,
    schema: "public",
    name,
    names: { field: name, type: name, raw: name },
    typeName: name,
    rootField: name,
    roots: {
      select: name,
      select_by_pk: `${name}_by_pk`,
      select_aggregate: `${name}_aggregate`,
      select_stream: `${name}_stream`,
    },
    columns: [],
    fields: new Map(),
    types: new Map(Object.entries(types)),
    neverNull: new Set(["id"]),
    enums: new Map(),
    primaryKey: undefined,
    isView: false,
    relationships,
    nativeRelationships: [],
    computedFields:
      name === "place"
        ? [{ name: "area", function: { schema: "geo", name: "area" }, target: undefined, type: integer, rowOnly: true }]
        : [],
  },
];

const text: DatabaseType = { name: "text", sql: "text", kind: "base" };
const integer: DatabaseType = { name: "int4", sql: "integer", kind: "base" };
const texts: DatabaseType = { name: "_text", sql: "text[]", kind: "base", element: text };
const document: DatabaseType = { name: "jsonb", sql: "jsonb", kind: "base" };

const access = {
  tables: new Map([
    table("article", [
      { name: "author", kind: "object", target: "public.author", mapping: { author_id: "id", realm: "realm" } },
    ]),
    table("author", [{ name: "lost", kind: "array", target: "public.untracked", mapping: { id: "id" } }]),
    table("place", [], { tags: texts, body: document, rank: integer, Name: text, owner: text }),
  ]),
};

describe.each([
  ["nothing", {}, "true", "every row"],
  ["a value", { rank: { _gt: 3 } }, "it.rank > 3", "`rank` is above `3`"],
  ["a bare value", { draft: false }, "it.draft = false", "`draft` is `false`"],
  ["a text with quotes", { title: { _neq: "it's" } }, "it.title <> 'it''s'", "`title` is not `it's`"],
  ["null", { title: { _is_null: true } }, "it.title is null", "`title` is null"],
  [
    "several values",
    { rank: { _gte: 1, _lte: 9 } },
    "it.rank >= 1 and it.rank <= 9",
    "`rank` is at least `1` and `rank` is at most `9`",
  ],
  [
    "a session variable",
    { owner: { _eq: "X-Hasura-User-Id" } },
    "it.owner = session(x-hasura-user-id)",
    "`owner` is the session's `x-hasura-user-id`",
  ],
  ["alternatives", { _or: [{ a: 1 }, { b: 2 }] }, "(it.a = 1 or it.b = 2)", "(`a` is `1` or `b` is `2`)"],
  [
    "alternatives of which one is every row",
    { _or: [{ owner: "X-Hasura-User-Id" }, { _and: [{}] }] },
    "true",
    "every row",
  ],
  ["a negation", { _not: { a: 1 } }, "not (it.a = 1)", "not: `a` is `1`"],
  [
    "a relationship",
    { author: { name: { _eq: "Ann" } } },
    "exists (select from public.author it_author where it_author.id = it.author_id and it_author.realm = it.realm and it_author.name = 'Ann')",
    "`author` → `name` is `Ann`",
  ],
])("a filter by %s", (_what, filter, sql, words) => {
  test("in SQL", () =>
    expect(filterSql(access, "public.article", filter, "it", (name) => `session(${name})`)).toBe(sql));
  test("in words", () => expect(filterWords(access, "public.article", filter)).toBe(words));
});

describe.each([
  ["a list", { rank: { _in: [1, 2] } }, "it.rank in (1, 2)", "`rank` is one of `1`, `2`"],
  [
    "the earlier name of the user",
    { rank: "REQ_USER_ID" },
    "it.rank = session(x-hasura-user-id)",
    "`rank` is the session's `x-hasura-user-id`",
  ],
  ["null, which nothing is above", { rank: { _gt: null } }, "it.rank > null", "`rank` is above `null`"],
  [
    "a list of texts",
    { owner: { _in: ["X-Hasura-A"] } },
    "it.owner in ('X-Hasura-A')",
    "`owner` is one of `X-Hasura-A`",
  ],
  ["an empty list", { rank: { _in: [] } }, "false", "`rank` is one of nothing"],
  ["what is in no empty list", { rank: { _nin: [] } }, "true", "`rank` is none of nothing"],
  [
    "a list of the session's",
    { owner: { _in: "x-hasura-owners" } },
    "it.owner = any (session(x-hasura-owners))",
    "`owner` is one of the session's `x-hasura-owners`",
  ],
  [
    "no list of the session's",
    { owner: { _nin: "x-hasura-owners" } },
    "it.owner <> all (session(x-hasura-owners))",
    "`owner` is none of the session's `x-hasura-owners`",
  ],
  [
    "the older spelling",
    { $or: [{ rank: { $gt: 1 } }, { owner: { $ne: "a" } }] },
    "(it.rank > 1 or it.owner <> 'a')",
    "(`rank` is above `1` or `owner` is not `a`)",
  ],
  ["a pattern", { owner: { _nilike: "a%" } }, "it.owner not ilike 'a%'", "`owner` is not, in any case, like `a%`"],
  [
    "an array",
    { tags: { _contains: ["a", "b'c"] } },
    "it.tags @> array['a', 'b''c']::text[]",
    '`tags` contains `["a","b\'c"]`',
  ],
  ["a document", { body: { _contains: { a: [1] } } }, "it.body @> '{\"a\":[1]}'", '`body` contains `{"a":[1]}`'],
  [
    "keys of a document",
    { body: { _has_keys_any: ["a", "X-Hasura-Key"] } },
    "it.body ?| array['a', 'X-Hasura-Key']::text[]",
    "`body` has any of the keys `a`, `X-Hasura-Key`",
  ],
  ["another column", { rank: { _cgt: "owner" } }, "it.rank > it.owner", "`rank` is above column `owner`"],
  ["a name with capitals", { Name: { _is_null: false } }, 'it."Name" is not null', "`Name` is not null"],
  ["a cast", { rank: { _cast: { text: { _like: "1%" } } } }, "it.rank::text like '1%'", "`rank` is like `1%`"],
  ["a computed field", { area: { _gt: 3 } }, "geo.area(it) > 3", "`area` is above `3`"],
  [
    "rows of a table that has nothing to do with it",
    { _exists: { _table: "author", _where: { id: { _ceq: ["$", "rank"] }, name: "x-hasura-user-id" } } },
    "exists (select from public.author it_author where it_author.id = it.rank and it_author.name = session(x-hasura-user-id))",
    "some row of `public.author` has: `id` is the first row's column `rank` and `name` is the session's `x-hasura-user-id`",
  ],
  [
    "alternatives with several conditions",
    { _or: [{ rank: 1, owner: "a" }, { _not: { rank: 2 } }] },
    "((it.rank = 1 and it.owner = 'a') or not (it.rank = 2))",
    "(`rank` is `1` and `owner` is `a` or not: `rank` is `2`)",
  ],
])("a filter of a table with known types, by %s", (_what, filter, sql, words) => {
  test("in SQL", () => expect(filterSql(access, "public.place", filter, "it", (name) => `session(${name})`)).toBe(sql));
  test("in words", () => expect(filterWords(access, "public.place", filter)).toBe(words));
});

test.each([
  ["an operator it does not know", { a: { _resembles: "x" } }, "operator _resembles"],
  ["a way to a table that is not tracked", { author: { lost: { id: 1 } } }, "not tracked"],
  ["a value that is a list, of a column nobody knows", { a: { _eq: [1] } }, "compares with [1]"],
  [
    "an _exists of a table that is not tracked",
    { _exists: { _table: { schema: "s", name: "t" }, _where: {} } },
    "s.t, which is not tracked",
  ],
])("refuses a filter with %s", (_what, filter, reason) => {
  expect(() => filterSql(access, "public.article", filter, "it", (name) => name)).toThrow(reason);
});
