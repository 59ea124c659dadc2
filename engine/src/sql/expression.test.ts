import { expect, test } from "vitest";
import { library, sql, stateOf } from "../testing/world.ts";

const state = await stateOf(library);
const text = (role: string, query: string) => sql(state, role, query).text;

test("matches a pattern only against rows that the role may see", () => {
  expect(text("reader", '{ author(where: {name: {_like: "a%"}}) { id } }')).toContain(
    `WHERE ("t1"."hidden" = ($1::boolean)) AND (CASE WHEN ("t1"."hidden" = ($1::boolean)) THEN ("t1"."name" LIKE ($2::text)) END)`,
  );
});

test("other conditions stay plain, so that indexes apply", () => {
  expect(text("reader", '{ author(where: {id: {_eq: 1}, name: {_regex: "a"}}) { id } }')).toContain(
    `AND (("t1"."id" = ($2::integer)) AND (CASE WHEN ("t1"."hidden" = ($1::boolean)) THEN ("t1"."name" ~ ($3::text)) END))`,
  );
  expect(text("reader", '{ author(where: {name: {_eq: "a"}}) { id } }')).not.toContain("CASE");
});

test("a pattern on related rows waits for the filters of both", () => {
  const printed = text("reader", '{ article(where: {author: {name: {_ilike: "a"}}}) { id } }');
  expect(printed).toContain(
    `(CASE WHEN ("t1"."published" = ($1::boolean)) THEN EXISTS (SELECT 1 FROM "public"."author"`,
  );
  expect(printed).toContain(`(CASE WHEN ("t2"."hidden" = ($2::boolean)) THEN ("t2"."name" ILIKE ($3::text)) END)`);
});

test("a plain condition matches only related rows that the role may see", () => {
  expect(text("reader", "{ article(where: {author: {id: {_eq: 1}}}) { id } }")).toMatch(
    /EXISTS \(SELECT 1 FROM "public"\."author" AS "t2" WHERE .* AND \("t2"\."hidden" = \(\$2::boolean\)\) AND /,
  );
});

test("guards a whole alternative or negation", () => {
  expect(
    text("reader", '{ author(where: {_or: [{id: {_eq: 1}}, {_not: {name: {_similar: "a"}}}]}) { id } }'),
  ).toContain(
    `(CASE WHEN ("t1"."hidden" = ($1::boolean)) THEN (("t1"."id" = ($2::integer)) OR (NOT ("t1"."name" SIMILAR TO ($3::text)))) END)`,
  );
});

test("a role that sees every row needs no guard", () => {
  expect(text("admin", '{ author(where: {name: {_like: "a%"}, full_name: {_eq: "x"}}) { id } }')).not.toContain("CASE");
});
