import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { sql, type Sql, trusted } from "./sql.ts";

/** The right side of an operator: a value of the column's type, a list of them, or a fixed type. */
export type OperatorArgument =
  | "same"
  | "list"
  | "text"
  | "text-list"
  | "lquery"
  | "lquery-list"
  | "ltxtquery"
  | "ltree-list"
  | "distance"
  | "band-and-geometry"
  | "geometry-and-band";

/** The input types (schema/where-types.ts), the filters of permissions (schema/filters.ts) and the SQL of an operator follow from this. */
export interface Operator {
  readonly name: string;
  readonly argument: OperatorArgument;
  readonly description?: string;
  /** null is a valid value that matches nothing. */
  readonly takesNull?: boolean;
  print(left: Sql, right: Sql): Sql;
}

function infix(name: string, symbol: string, argument: OperatorArgument = "same", description?: string): Operator {
  return { name, argument, description, print: (left, right) => sql`(${left} ${trusted(symbol)} ${right})` };
}

export const equals = infix("_eq", "=");

export const comparisonOperators: readonly Operator[] = [
  equals,
  infix("_neq", "<>"),
  infix("_gt", ">"),
  infix("_lt", "<"),
  infix("_gte", ">="),
  infix("_lte", "<="),
  { name: "_in", argument: "list", print: (left, right) => sql`(${left} = ANY (${right}))` },
  { name: "_nin", argument: "list", print: (left, right) => sql`(NOT (${left} = ANY (${right})))` },
];

export const equalityOperators: readonly Operator[] = comparisonOperators.filter(({ name }) =>
  ["_eq", "_neq", "_in", "_nin"].includes(name),
);

const text: readonly Operator[] = [
  infix("_like", "LIKE", "same", "does the column match the given pattern"),
  infix("_nlike", "NOT LIKE", "same", "does the column NOT match the given pattern"),
  infix("_ilike", "ILIKE", "same", "does the column match the given case-insensitive pattern"),
  infix("_nilike", "NOT ILIKE", "same", "does the column NOT match the given case-insensitive pattern"),
  infix("_similar", "SIMILAR TO", "same", "does the column match the given SQL regular expression"),
  infix("_nsimilar", "NOT SIMILAR TO", "same", "does the column NOT match the given SQL regular expression"),
  infix("_regex", "~", "same", "does the column match the given POSIX regular expression, case sensitive"),
  infix("_nregex", "!~", "same", "does the column NOT match the given POSIX regular expression, case sensitive"),
  infix("_iregex", "~*", "same", "does the column match the given POSIX regular expression, case insensitive"),
  infix("_niregex", "!~*", "same", "does the column NOT match the given POSIX regular expression, case insensitive"),
];

const onPath = (name: string, symbol: string, description: string): Operator => ({
  name,
  argument: "text",
  description,
  print: (left, right) => sql`(${left} ${trusted(symbol)} ${right}::jsonpath)`,
});

const jsonb: readonly Operator[] = [
  infix("_contains", "@>", "same", "does the column contain the given json value at the top level"),
  infix("_contained_in", "<@", "same", "is the column contained in the given json value"),
  { ...infix("_has_key", "?", "text", "does the string exist as a top-level key in the column"), takesNull: true },
  infix("_has_keys_any", "?|", "text-list", "do any of these strings exist as top-level keys in the column"),
  infix("_has_keys_all", "?&", "text-list", "do all of these strings exist as top-level keys in the column"),
  onPath("_jsonb_path_exists", "@?", "does the jsonpath return any item for the specified JSON value"),
  onPath("_jsonb_path_match", "@@", "does the jsonpath predicate check return true for the specified JSON value"),
];

const array: readonly Operator[] = [
  infix("_contains", "@>", "same", "does the array contain the given value"),
  infix("_contained_in", "<@", "same", "is the array contained in the given array value"),
];

const ofAny = (name: string, symbol: string, description: string): Operator => ({
  name,
  argument: "ltree-list",
  description,
  print: (left, right) => sql`(${left} ${trusted(symbol)} ANY (${right}))`,
});

const ltree: readonly Operator[] = [
  infix("_ancestor", "@>", "same", "is the left argument an ancestor of right (or equal)?"),
  ofAny("_ancestor_any", "@>", "does array contain an ancestor of `ltree`?"),
  infix("_descendant", "<@", "same", "is the left argument a descendant of right (or equal)?"),
  ofAny("_descendant_any", "<@", "does array contain a descendant of `ltree`?"),
  infix("_matches", "~", "lquery", "does `ltree` match `lquery`?"),
  infix("_matches_any", "?", "lquery-list", "does `ltree` match any `lquery` in array?"),
  infix("_matches_fulltext", "@", "ltxtquery", "does `ltree` match `ltxtquery`?"),
];

/** A function of the column and the right side. */
const call = (name: string, called: string, description?: string, argument: OperatorArgument = "same"): Operator => ({
  name,
  argument,
  description,
  print: (left, right) => sql`${trusted(called)}(${left}, ${right})`,
});

/** The right side is a shape, a distance and, for geography, whether the earth is a spheroid. */
const within = (name: string, called: string, description: string): Operator =>
  call(name, called, description, "distance");

const geometry: readonly Operator[] = [
  call("_st_contains", "ST_Contains", "does the column contain the given geometry value"),
  call("_st_crosses", "ST_Crosses", "does the column cross the given geometry value"),
  call("_st_equals", "ST_Equals", "is the column equal to given geometry value (directionality is ignored)"),
  call(
    "_st_overlaps",
    "ST_Overlaps",
    "does the column 'spatially overlap' (intersect but not completely contain) the given geometry value",
  ),
  call("_st_touches", "ST_Touches", "does the column have atleast one point in common with the given geometry value"),
  call("_st_within", "ST_Within", "is the column contained in the given geometry value"),
  call("_st_intersects", "ST_Intersects", "does the column spatially intersect the given geometry value"),
  call("_st_3d_intersects", "ST_3DIntersects", "does the column spatially intersect the given geometry value in 3D"),
  within("_st_d_within", "ST_DWithin", "is the column within a given distance from the given geometry value"),
  within("_st_3d_d_within", "ST_3DDWithin", "is the column within a given 3D distance from the given geometry value"),
];

const geography: readonly Operator[] = [
  call("_st_intersects", "ST_Intersects", "does the column spatially intersect the given geography value"),
  within("_st_d_within", "ST_DWithin", "is the column within a given distance from the given geography value"),
];

/** Besides shapes, the right side may be a band and a geometry, in either order; then the band is optional. */
const raster: readonly Operator[] = [
  call("_st_intersects_rast", "ST_Intersects"),
  call("_st_intersects_nband_geom", "ST_Intersects", undefined, "band-and-geometry"),
  call("_st_intersects_geom_nband", "ST_Intersects", undefined, "geometry-and-band"),
];

const textTypes = new Set(["text", "varchar", "bpchar", "citext"]);

/** Types whose columns Hasura can cast in a condition. */
export const castable: ReadonlySet<string> = new Set(["jsonb", "geometry", "geography"]);

/** Operators of a column type, in addition to `_is_null` and `_cast`. */
export function operatorsOf(type: DatabaseType): readonly Operator[] {
  if (type.element !== undefined) return [...comparisonOperators, ...array];
  if (textTypes.has(type.name)) return [...comparisonOperators, ...text];
  if (type.name === "jsonb") return [...comparisonOperators, ...jsonb];
  if (type.name === "ltree") return [...comparisonOperators, ...ltree];
  if (type.name === "geometry") return [...comparisonOperators, ...geometry];
  if (type.name === "geography") return [...comparisonOperators, ...geography];
  if (type.name === "raster") return [...equalityOperators, ...raster];
  return comparisonOperators;
}

export const textOperators: readonly Operator[] = [...comparisonOperators, ...text];

/** Operators that raise an error for some values of the row: an incomplete pattern, shapes of two reference systems. */
const fallible: ReadonlySet<string> = new Set([...text, ...geometry, ...geography, ...raster].map(({ name }) => name));
export const isFallible = ({ name }: Operator): boolean => fallible.has(name);

/** The name of a type, as the catalog prints it. */
export const typeSql = (type: DatabaseType): Sql => trusted(type.sql);
export const arrayOf = (type: DatabaseType): Sql => sql`${typeSql(type)}[]`;

/** Cast type of values from clients and metadata. Only geometry parses GeoJSON, so a geography is cast to geometry first. */
export function inputType(type: DatabaseType): Sql {
  return type.name === "geography" ? sql`${typeSql(siblingType(type, "geometry"))}::${typeSql(type)}` : typeSql(type);
}

/** SQL type of an operator's right side for a column of the type. */
export function argumentType(operator: Operator, type: DatabaseType): Sql {
  switch (operator.argument) {
    case "same":
    case "distance":
    case "band-and-geometry":
    case "geometry-and-band":
      return inputType(type);
    case "list":
    case "ltree-list":
      return arrayOf(type);
    case "text-list":
      return sql`text[]`;
    case "lquery-list":
      return sql`lquery[]`;
    default:
      return trusted(operator.argument);
  }
}

/** Whether the right side is an object whose fields are the arguments of a function. */
export function isObjectArgument({ argument }: Operator): boolean {
  return argument === "distance" || argument === "band-and-geometry" || argument === "geometry-and-band";
}

/** The other PostGIS type, in the schema of this one. */
export function siblingType(type: DatabaseType, name: "geometry" | "geography"): DatabaseType {
  return { name, sql: type.sql.slice(0, -type.name.length) + name, kind: "base" };
}

export function isListArgument(operator: Operator): boolean {
  return operator.argument.endsWith("list");
}
