import { graphqlName } from "../names/naming.ts";
import type { SourceMetadata } from "../read/shape.ts";
import type { Catalog, DatabaseType } from "./catalog.ts";

/** How SQL and Hasura call types that the catalogue calls otherwise. */
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

/** Names of the types that logical models and arguments of native queries have, as the catalogue has them. */
export function typesNamedBy({ logical_models: models, native_queries: queries }: SourceMetadata): readonly string[] {
  const own = queries.flatMap(({ returns }) => (typeof returns === "string" ? [] : [returns]));
  const fields = [...models, ...own].flatMap((model) => model.fields.flatMap(({ type }) => ("scalar" in type ? [type.scalar] : [])));
  return [...fields, ...queries.flatMap((query) => Object.values(query.arguments).map(({ type }) => type))].map(catalogName);
}

/**
 * The type of a field or an argument. A type has to have a GraphQL name, so that lists of a type cannot be written; the name that the
 * catalogue has for one, such as `_text`, stands for a scalar, as in Hasura.
 */
export function typeOf(name: string, { types }: Catalog, fail: (reason: string) => undefined): DatabaseType | undefined {
  const wanted = catalogName(name);
  if (!graphqlName.test(wanted)) return fail(`"${name}" is not the name of a type; lists and lengths cannot be given here`);
  const found = types.get(wanted);
  if (found === undefined || found.kind === "pseudo") return fail(`the database has no type ${name} for values`);
  const { element: _, ...scalar } = found;
  return scalar;
}
