import { graphqlName } from "../names/naming.ts";
import type { SourceMetadata } from "../read/shape.ts";
import type { Catalog, DatabaseType } from "./catalog.ts";

/** Names of types in SQL and Hasura that differ from the catalogue. */
const catalogNames: Readonly<Record<string, string>> = {
  bigint: "int8",
  boolean: "bool",
  char: "bpchar",
  character: "bpchar",
  "character varying": "varchar",
  decimal: "numeric",
  "double precision": "float8",
  float: "float8",
  int: "int4",
  integer: "int4",
  real: "float4",
  smallint: "int2",
  "time with time zone": "timetz",
  "time without time zone": "time",
  "timestamp with time zone": "timestamptz",
  "timestamp without time zone": "timestamp",
};

function catalogName(type: string): string {
  const lower = type.toLowerCase();
  return catalogNames[lower] ?? lower;
}

/** Catalogue names of the types of logical models and of arguments of native queries. */
export function typesNamedBy({ logical_models: models, native_queries: queries }: SourceMetadata): readonly string[] {
  const own = queries.flatMap(({ returns }) => (typeof returns === "string" ? [] : [returns]));
  const fields = [...models, ...own].flatMap((model) =>
    model.fields.flatMap(({ type }) => ("scalar" in type ? [type.scalar] : [])),
  );
  return [...fields, ...queries.flatMap((query) => Object.values(query.arguments).map(({ type }) => type))].map(
    catalogName,
  );
}

/**
 * The type of a field or an argument. A type needs a GraphQL name, so metadata cannot contain array types. The catalogue name of
 * an array type, such as `_text`, is a scalar, as in Hasura.
 */
export function typeOf(
  name: string,
  { types }: Catalog,
  fail: (reason: string) => undefined,
): DatabaseType | undefined {
  const wanted = catalogName(name);
  if (!graphqlName.test(wanted))
    return fail(`"${name}" is not the name of a type; lists and lengths cannot be given here`);
  const found = types.get(wanted);
  if (found === undefined || found.kind === "pseudo") return fail(`the database has no type ${name} for values`);
  const { element: _, ...scalar } = found;
  return scalar;
}
