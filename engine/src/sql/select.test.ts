import { expect, test } from "vitest";
import { library, sql, stateOf } from "../testing/world.ts";

const state = await stateOf(library);
const text = (query: string, variables?: Record<string, unknown>) => sql(state, "admin", query, variables).text;

test("reads plain columns in one select, and computes nothing for rows that are not returned", () => {
  expect(text("{ author(limit: 10, offset: 5, order_by: {born: desc}) { key: id name } }")).toBe(
    `SELECT coalesce(json_agg("r".*), '[]') FROM (SELECT "t1"."id" AS "key", "t1"."name" AS "name" FROM "public"."author" AS "t1" ORDER BY "t1"."born" DESC NULLS FIRST LIMIT 10 OFFSET 5) AS "r"`,
  );
});

test("ascending order has nulls last, descending first, unless the client sets it", () => {
  expect(
    text("{ author(order_by: [{id: asc}, {name: desc}, {born: asc_nulls_first}, {score: desc_nulls_last}]) { id } }"),
  ).toContain(
    `ORDER BY "t1"."id" ASC NULLS LAST, "t1"."name" DESC NULLS FIRST, "t1"."born" ASC NULLS FIRST, "t1"."score" DESC NULLS LAST`,
  );
});

test("computes relationships over the rows left after order and limit", () => {
  expect(text("{ article(limit: 2) { author { name } } }")).toBe(
    `SELECT coalesce(json_agg("r".*), '[]') FROM (SELECT (SELECT row_to_json("r".*) FROM (SELECT "t2"."name" AS "name" FROM "public"."author" AS "t2" WHERE ("t1"."author_id" = "t2"."id") LIMIT 1) AS "r") AS "author" FROM (SELECT "t1".* FROM "public"."article" AS "t1" LIMIT 2) AS "t1") AS "r"`,
  );
});

test("a relationship without columns relates all rows", async () => {
  const all = {
    name: "all_articles",
    using: { manual_configuration: { remote_table: "article", column_mapping: {}, insertion_order: null } },
  };
  const { author } = library.metadata;
  const related = await stateOf({
    ...library,
    metadata: { ...library.metadata, author: { ...author, array_relationships: [all] } },
  });
  expect(sql(related, "admin", "{ author { all_articles(limit: 2) { id } } }").text).toContain(
    `FROM (SELECT "t2"."id" AS "id" FROM "public"."article" AS "t2" WHERE TRUE LIMIT 2) AS "r"`,
  );
});

test("values are parameters of their column's type", () => {
  const { text: printed, values } = sql(
    state,
    "admin",
    `{ article(where: {title: {_like: "%'; DROP"}, tags: {_contains: ["a"]}, body: {_has_key: "k"}}) { id } }`,
  );
  expect(printed).not.toContain("DROP");
  expect(printed).toContain(
    `("t1"."title" LIKE ($1::character varying)) AND ("t1"."tags" @> ($2::text[])) AND ("t1"."body" ? ($3::text))`,
  );
  expect(values).toEqual(["%'; DROP", '{"a"}', "k"]);
});

test("a variable in place of a value is not inserted into the text", () => {
  const query = "query($id: Int, $ids: [Int!]) { author(where: {id: {_eq: $id, _in: $ids}}) { id } }";
  expect(text(query, { id: 1, ids: [1] })).toBe(text(query, { id: 2, ids: [3, 4] }));
});

test("computes aggregates once, and nodes separately", () => {
  expect(text("{ author_aggregate(where: {id: {_gt: 1}}) { aggregate { count max { id name } } nodes { id } } }")).toBe(
    `SELECT (SELECT row_to_json("r".*) FROM (SELECT (SELECT row_to_json("r".*) FROM (SELECT "t2"."a0" AS "count", (SELECT row_to_json("r".*) FROM (SELECT "t2"."a1" AS "id", "t2"."a2" AS "name") AS "r") AS "max") AS "r") AS "aggregate", (SELECT coalesce(json_agg("r".*), '[]') FROM (SELECT "t3"."id" AS "id" FROM "public"."author" AS "t3" WHERE ("t3"."id" > ($1::integer))) AS "r") AS "nodes" FROM (SELECT count(*) AS "a0", "max"("t1"."id") AS "a1", "max"("t1"."name") AS "a2" FROM "public"."author" AS "t1" WHERE ("t1"."id" > ($1::integer))) AS "t2") AS "r")`,
  );
});

test("keeps a name that Postgres would truncate as a key", () => {
  const long = "a".repeat(64);
  expect(text(`{ author { ${long}: id } }`)).toContain(
    `json_object_agg("p"."k", "p"."v") FROM (VALUES ('${long}', to_json("t1"."id")))`,
  );
});

test("a selection without included fields returns empty objects", () => {
  expect(text("{ author { id @skip(if: true) } }")).toContain(`json_agg('{}'::json)`);
});

test("functions get their arguments in order, and by name after an omitted one", () => {
  expect(text('{ search_articles(args: {term: "x"}) { id } }')).toContain(
    `FROM "public"."search_articles"(($1::text)) AS "t1"`,
  );
  expect(() => text("{ search_articles(args: {most: 1}) { id } }")).toThrow("Non default arguments cannot be omitted");
});

test("distinct_on keeps its columns first", () => {
  expect(text("{ author(distinct_on: [name], order_by: [{name: asc}, {born: desc}]) { id } }")).toContain(
    `SELECT DISTINCT ON ("t1"."name") "t1"."id" AS "id"`,
  );
});

test("a condition on aggregates tests groups of related rows", () => {
  expect(
    text(
      "{ author(where: {articles_aggregate: {count: {arguments: [id], distinct: true, filter: {published: {_eq: true}}, predicate: {_gte: 2}}}}) { id } }",
    ),
  ).toContain(
    `EXISTS (SELECT 1 FROM "public"."article" AS "t2" WHERE ("t1"."id" = "t2"."author_id") AND ("t2"."published" = ($2::boolean)) HAVING ("count"("t2"."id") >= ($1::integer)))`,
  );
});

test("a condition on aggregates tests for null", () => {
  expect(
    text("{ author(where: {articles_aggregate: {count: {arguments: [], predicate: {_is_null: false}}}}) { id } }"),
  ).toContain("HAVING (count(*) IS NOT NULL)");
});

test("as in Hasura, Postgres rejects a count over no columns, and a condition on several", () => {
  expect(text("{ author_aggregate { aggregate { count(columns: []) } } }")).toContain("count(())");
  expect(
    text("{ author(where: {articles_aggregate: {count: {arguments: [id, title], predicate: {_eq: 1}}}}) { id } }"),
  ).toContain(`HAVING ("count"("t2"."id", "t2"."title") = ($1::integer))`);
});

test("an aggregate without any aggregated value needs exactly one row", () => {
  expect(text("{ author_aggregate { aggregate { __typename } } }")).toContain("CASE");
  expect(text("{ author_aggregate { __typename } }")).not.toContain("CASE");
});

test("a two-column aggregate condition has the function's column order, and only one predicate", async () => {
  const article = { ...library.tables["article"]?.columns, x: "float8", y: "float8" };
  const measured = await stateOf({
    ...library,
    tables: { ...library.tables, article: { ...library.tables["article"], columns: article } },
  });
  const where = "{corr: {arguments: {Y: y, X: x}, predicate: {_gt: 0.5}}}";
  expect(sql(measured, "admin", `{ author(where: {articles_aggregate: ${where}}) { id } }`).text).toContain(
    `HAVING ("corr"("t2"."x", "t2"."y") > ($1::double precision))`,
  );
  const two = "{count: {predicate: {_gt: 1}}, corr: {arguments: {X: x, Y: y}, predicate: {_gt: 0.5}}}";
  expect(() => sql(measured, "admin", `{ author(where: {articles_aggregate: ${two}}) { id } }`)).toThrow(
    "exactly one predicate should be specified",
  );
});

test("rasters and shapes use PostGIS' functions as operators", async () => {
  const columns = { ...library.tables["article"]?.columns, tile: "raster", place: "geometry" };
  const mapped = await stateOf({
    ...library,
    tables: { ...library.tables, article: { ...library.tables["article"], columns } },
  });
  const where = (condition: string) => {
    const used = condition.includes("$shape") ? { shape: { type: "Point", coordinates: [1, 2] } } : {};
    return sql(
      mapped,
      "admin",
      `query ${"shape" in used ? "($shape: geometry!) " : ""}{ article(where: ${condition}) { id } }`,
      used,
    );
  };
  expect(where('{tile: {_st_intersects_rast: "0100"}}').text).toContain(
    `WHERE ST_Intersects("t1"."tile", ($1::raster))`,
  );
  expect(where("{tile: {_st_intersects_nband_geom: {geommin: $shape, nband: 5}}}").text).toContain(
    `ST_Intersects("t1"."tile", ($1::integer), ($2::geometry))`,
  );
  expect(where("{tile: {_st_intersects_geom_nband: {geommin: $shape}}}").text).toContain(
    `ST_Intersects("t1"."tile", ($1::geometry))`,
  );
  expect(
    where('{place: {_cast: {geography: {_st_d_within: {distance: 10, from: {type: "Point", coordinates: [1, 2]}}}}}}')
      .text,
  ).toContain(`ST_DWithin(("t1"."place")::geography, ($1::geometry::geography), ($2::real))`);
  expect(() => where('{place: {_cast: {String: {_like: "%"}}}}')).toThrow(
    "field 'String' not found in type: 'geometry_cast_exp'",
  );
  expect(() => where('{tile: {_gt: "0100"}}')).toThrow("field '_gt' not found in type: 'raster_comparison_exp'");
});
