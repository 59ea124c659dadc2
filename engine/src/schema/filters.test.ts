import { expect, test } from "vitest";
import { MetadataError } from "@routeql/metadata/read/problems";
import { library, sql, stateOf, type World } from "../testing/world.ts";

function withFilter(table: "author" | "article", filter: unknown): World {
  const permission = { role: "tested", permission: { columns: ["id"], filter } };
  return {
    ...library,
    metadata: { ...library.metadata, [table]: { ...library.metadata[table], select_permissions: [permission] } },
  };
}

async function where(table: "author" | "article", filter: unknown) {
  const { text, values } = sql(await stateOf(withFilter(table, filter)), "tested", `{ ${table} { id } }`);
  return { text: / WHERE (.*)\) AS "r"$/.exec(text)?.[1] ?? "", values };
}

test.each([
  [{ name: "x" }, `("t1"."name" = ($1::text))`, ["x"]],
  [{ name: { $eq: "x" } }, `("t1"."name" = ($1::text))`, ["x"]],
  [{ id: { _eq: "X-Hasura-User-Id" } }, `("t1"."id" = ($1::integer))`, ["x-hasura-user-id"]],
  [{ name: { _neq: "x" } }, `("t1"."name" <> ($1::text))`, ["x"]],
  [{ name: null }, `(("t1"."name" IS NULL) OR NULL::boolean)`, []],
  [{ name: { _neq: null } }, `(("t1"."name" IS NOT NULL) OR NULL::boolean)`, []],
  [{ id: { _neq: null } }, "NULL::boolean", []],
  [{ _not: { id: null } }, "(NOT NULL::boolean)", []],
  [{ id: { _ne: 3 } }, `("t1"."id" <> ($1::integer))`, ["3"]],
  [{ id: { _in: "X-Hasura-Ids" } }, `("t1"."id" = ANY (($1::integer[])))`, ["x-hasura-ids"]],
  [
    { id: { _in: [1, "X-Hasura-Id"] } },
    `("t1"."id" = ANY ((ARRAY[($1::integer), ($2::integer)]::integer[])))`,
    ["1", "X-Hasura-Id"],
  ],
  [{ id: "REQ_USER_ID" }, `("t1"."id" = ($1::integer))`, ["x-hasura-user-id"]],
  [{ id: { _gt: null } }, `("t1"."id" > ($1::integer))`, [null]],
  [{ id: { _cast: {} } }, "", []],
  [{ born: { _cgt: "born" } }, `("t1"."born" > "t1"."born")`, []],
  [{ name: { _is_null: true } }, `("t1"."name" IS NULL)`, []],
  [{ _or: [] }, "FALSE", []],
  [
    { _not: { _and: [{ hidden: true }, { id: 1 }] } },
    `(NOT (("t1"."hidden" = ($1::boolean)) AND ("t1"."id" = ($2::integer))))`,
    ["true", "1"],
  ],
  [{ full_name: { _like: "A%" } }, `("public"."full_name"("t1") LIKE ($1::text))`, ["A%"]],
])("the filter %j becomes SQL with parameters", async (filter, text, values) => {
  expect(await where("author", filter)).toEqual({ text, values });
});

test("a filter through a relationship tests related rows, and _exists any row", async () => {
  const related = await where("author", { articles: { published: true } });
  expect(related.text).toBe(
    `EXISTS (SELECT 1 FROM "public"."article" AS "t2" WHERE ("t1"."id" = "t2"."author_id") AND ("t2"."published" = ($1::boolean)))`,
  );
  const exists = await where("author", {
    _exists: { _table: { schema: "public", name: "secret" }, _where: { id: "X-Hasura-User-Id" } },
  });
  expect(exists.text).toBe(`EXISTS (SELECT 1 FROM "public"."secret" AS "t2" WHERE ("t2"."id" = ($1::integer)))`);
});

test('a path ["$", column] refers to the row at which the permission starts', async () => {
  const { text } = await where("article", { author: { id: { _ceq: ["$", "editor_id"] } } });
  expect(text).toContain(`("t2"."id" = "t1"."editor_id")`);
});

test("a text for a column of another type is left to Postgres, as in Hasura", async () => {
  expect(await where("author", { id: "one", hidden: "perhaps" })).toEqual({
    text: '(("t1"."id" = ($1::integer)) AND ("t1"."hidden" = ($2::boolean)))',
    values: ["one", "perhaps"],
  });
});

test.each([
  [{ nmae: "x" }, "filter.nmae", "public.author has no column, relationship or computed field nmae"],
  [{ name: { _eqq: "x" } }, "filter.name._eqq", "the operator _eqq is not served for type text"],
  [{ hidden: 1 }, "filter.hidden", "expected Bool, but encountered Number"],
  [{ id: { _in: 3 } }, "filter.id._in", "a list, or a session variable that holds a Postgres array, is expected"],
  [{ id: { _ceq: "nmae" } }, "filter.id._ceq", "public.author has no column nmae"],
  [{ name: { _is_null: "yes" } }, "filter.name._is_null", "true or false is expected"],
  [
    { articles: { titel: "x" } },
    "filter.articles.titel",
    "public.article has no column, relationship or computed field titel",
  ],
  [{ _exists: { _table: "nowhere", _where: {} } }, "filter._exists._table", "this table is not tracked"],
  [{ _and: 3 }, "filter._and", "a list of filters is expected"],
  [{ _or: {} }, "filter._or", "a list of filters is expected"],
  [{ id: { _in: null } }, "filter.id._in", "a list, or a session variable that holds a Postgres array, is expected"],
  [{ id: { _ceq: "name" } }, "filter.id._ceq", "incompatible column types: it has type int4, but name has type text"],
])("rejects the filter %j", async (filter, path, reason) => {
  const refused = await stateOf(withFilter("author", filter)).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(MetadataError);
  const { problems } = refused as MetadataError;
  expect(problems.map((problem) => [problem.path, problem.reason, problem.kind])).toEqual([
    [`sources[0].tables[0].select_permissions[0].permission.${path}`, reason, "inconsistent"],
  ]);
});

test("a faulty permission grants nothing when faults are allowed", async () => {
  const state = await stateOf(withFilter("author", { nmae: "x" }), { allowInconsistent: true });
  expect(state.inconsistencies).toHaveLength(1);
  expect(state.inconsistencies[0]).toMatchObject({ type: "select_permission", name: "tested on public.author" });
  expect(() => sql(state, "tested", "{ author { id } }")).toThrow("field 'author' not found in type: 'query_root'");
});
