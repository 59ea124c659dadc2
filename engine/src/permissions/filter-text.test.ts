import { describe, expect, test } from "vitest";
import type { DeclaredAccess, DeclaredTable } from "./declared.ts";
import { filterSql, filterWords } from "./filter-text.ts";

const table = (name: string, relationships: DeclaredTable["relationships"] = []): [string, DeclaredTable] => [
  `public.${name}`,
  { key: `public.${name}`, rootField: name, columns: [], relationships },
];

const access: DeclaredAccess = {
  roles: [],
  tables: new Map([
    table("article", [{ name: "author", kind: "object", target: "public.author", mapping: { author_id: "id", realm: "realm" } }]),
    table("author", [{ name: "lost", kind: "array", target: "public.untracked", mapping: { id: "id" } }]),
  ]),
  permission: () => undefined,
};

describe.each([
  ["nothing", {}, "true", "every row"],
  ["a value", { rank: { _gt: 3 } }, "it.rank > 3", "`rank` is above `3`"],
  ["a bare value", { draft: false }, "it.draft = false", "`draft` is `false`"],
  ["a text with quotes", { title: { _neq: "it's" } }, "it.title <> 'it''s'", "`title` is not `it's`"],
  ["null", { title: { _is_null: true } }, "it.title is null", "`title` is null"],
  ["several values", { rank: { _gte: 1, _lte: 9 } }, "it.rank >= 1 and it.rank <= 9", "`rank` is at least `1` and `rank` is at most `9`"],
  ["a session variable", { owner: { _eq: "X-Hasura-User-Id" } }, "it.owner = session(x-hasura-user-id)", "`owner` is the session's `x-hasura-user-id`"],
  ["alternatives", { _or: [{ a: 1 }, { b: 2 }] }, "(it.a = 1 or it.b = 2)", "(`a` is `1` or `b` is `2`)"],
  ["a negation", { _not: { a: 1 } }, "not (it.a = 1)", "not: `a` is `1`"],
  [
    "a relationship",
    { author: { name: { _eq: "Ann" } } },
    "exists (select from public.author it_author where it_author.id = it.author_id and it_author.realm = it.realm and it_author.name = 'Ann')",
    "`author` → `name` is `Ann`",
  ],
])("a filter by %s", (_what, filter, sql, words) => {
  test("in SQL", () => expect(filterSql(access, "public.article", filter, "it", (name) => `session(${name})`)).toBe(sql));
  test("in words", () => expect(filterWords(access, "public.article", filter)).toBe(words));
});

test.each([
  ["an operator it does not know", { a: { _like: "x" } }, "operator _like"],
  ["a way to a table that is not tracked", { author: { lost: { id: 1 } } }, "not tracked"],
  ["a value that is a list", { a: { _eq: [1] } }, "compares with [1]"],
])("a filter with %s is refused rather than told wrongly", (_what, filter, reason) => {
  expect(() => filterSql(access, "public.article", filter, "it", (name) => name)).toThrow(reason);
});
