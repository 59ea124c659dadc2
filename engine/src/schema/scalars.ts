import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { graphqlName } from "@routeql/metadata/naming";

const graphqlNames: Readonly<Record<string, string>> = {
  int4: "Int",
  bool: "Boolean",
  float4: "Float",
  text: "String",
  varchar: "String",
  int2: "smallint",
  int8: "bigint",
};

/** GraphQL name of a scalar type, as in Hasura; row types of tables get a suffix to avoid a conflict with the object type. */
export function scalarName(type: DatabaseType): string {
  const own = graphqlNames[type.name] ?? type.name;
  return type.kind === "composite" ? `${own}_scalar` : own;
}

/** The reason why a column or argument of the type has no GraphQL type, as in Hasura; undefined if it has one. */
export function unnameable({ element, ...type }: DatabaseType): string | undefined {
  const { name } = element ?? type;
  return graphqlName.test(name) ? undefined : `"${name}" is not a GraphQL name; rename the type in the database`;
}

const numeric = new Set(["int2", "int4", "int8", "float4", "float8", "numeric", "money"]);
const comparable = new Set([
  ...numeric,
  "bpchar",
  "varchar",
  "text",
  "citext",
  "char",
  "date",
  "timestamp",
  "timestamptz",
  "timetz",
  "uuid",
  "raster",
  "ltree",
  "lquery",
  "ltxtquery",
]);
const stringified = new Set(["int8", "numeric", "float8", "money"]);

/** Types that sum, avg and similar functions accept. */
export function isNumeric(type: DatabaseType): boolean {
  return type.element === undefined && numeric.has(type.name);
}

/** Types that max and min accept: Hasura's list, which omits types that it does not know by name. */
export function isComparable(type: DatabaseType): boolean {
  return type.element !== undefined || type.kind === "enum" || type.kind === "composite" || comparable.has(type.name);
}

/** Types that become JSON strings with `stringify-numeric-types`. */
export function isStringified(type: DatabaseType): boolean {
  return type.element === undefined && stringified.has(type.name);
}

export function isJson(type: DatabaseType): boolean {
  return type.element === undefined && (type.name === "json" || type.name === "jsonb");
}

export const textType: DatabaseType = { name: "text", sql: "text", kind: "base" };
export const integerType: DatabaseType = { name: "int4", sql: "integer", kind: "base" };
export const realType: DatabaseType = { name: "float4", sql: "real", kind: "base" };
export const floatType: DatabaseType = { name: "float8", sql: "double precision", kind: "base" };
export const booleanType: DatabaseType = { name: "bool", sql: "boolean", kind: "base" };
