import type { NativeArgument, NativeQuery } from "../schema/model.ts";
import { identifier, literal, mark } from "./quoting.ts";

/** A native query as an item of FROM, with a replacement for each argument. */
export function nativeRows(
  { name, code }: Pick<NativeQuery, "name" | "code">,
  argument: (argument: NativeArgument) => string,
): string {
  const text = code.map((piece) => (typeof piece === "string" ? piece.replaceAll(mark, "") : argument(piece))).join("");
  // The code may end in a comment.
  return `(WITH ${identifier(name)} AS (${text}\n) SELECT * FROM ${identifier(name)})`;
}

/**
 * Gets the types of a native query's columns from Postgres without running the query; an invalid query is an error. Arguments are columns
 * here, as in a statement for many live queries, so that Postgres does not evaluate them early.
 */
export function columnTypesOf(
  query: Pick<NativeQuery, "name" | "code" | "arguments">,
  columns: readonly string[],
): string {
  const own = (position: number) => identifier(`_routeql_${position}`);
  const given = query.arguments.map(({ type }, position) => `NULL::${type.sql} AS ${own(position)}`);
  const rows = nativeRows(query, (argument) => `"_routeql_given".${own(query.arguments.indexOf(argument))}`);
  const types = columns.map((column) => `pg_typeof("_routeql_rows".${identifier(column)})::oid`);
  return `WITH RECURSIVE "_routeql_types"("name", "type") AS (
  SELECT * FROM unnest(ARRAY[${columns.map(literal).join(", ")}]::text[], (SELECT ARRAY[${types.join(", ")}]::oid[]
    FROM (SELECT ${given.join(", ")} OFFSET 0) AS "_routeql_given" LEFT JOIN LATERAL (SELECT * FROM ${rows} AS "_routeql_query" LIMIT 0) AS "_routeql_rows" ON TRUE))
  UNION ALL
  SELECT "d"."name", "t".typbasetype FROM "_routeql_types" AS "d" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "d"."type" WHERE "t".typtype = 'd'
)
SELECT coalesce(json_object_agg("r"."name", format_type("r"."type", -1)), '{}')::text
FROM "_routeql_types" AS "r" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "r"."type" WHERE "t".typtype <> 'd'`;
}
