import type { Catalog, DatabaseType } from "../catalog/catalog.ts";
import type { MergedPath } from "../metadata/load.ts";
import type { LogicalModelMetadata } from "../metadata/native-shape.ts";
import type { SourceMetadata } from "../metadata/shape.ts";
import type { LogicalModel, TableColumn } from "./model.ts";
import { graphqlName } from "./naming.ts";
import { failing, type Fail, type Report } from "./report.ts";

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
export function typeOf(name: string, { types }: Catalog, fail: Fail): DatabaseType | undefined {
  const wanted = catalogName(name);
  if (!graphqlName.test(wanted)) return fail(`"${name}" is not the name of a type; lists and lengths cannot be given here`);
  const found = types.get(wanted);
  if (found === undefined || found.kind === "pseudo") return fail(`the database has no type ${name} for values`);
  const { element: _, ...scalar } = found;
  return scalar;
}

/**
 * @param key how errors call the model
 * @param models names of those that fields may refer to
 * @returns undefined when something is wrong with it, which is reported
 */
export function resolveModel(metadata: LogicalModelMetadata, key: string, path: MergedPath, models: ReadonlySet<string>, catalog: Catalog, report: Report): LogicalModel | undefined {
  const columns = new Map<string, TableColumn>();
  const references = new Set<string>();
  let sound = true;
  for (const [index, { name, type, description }] of metadata.fields.entries()) {
    const failed = failing(report, [...path, "fields", index], "logical_model", metadata.name);
    const fail: Fail = (reason) => {
      sound = false;
      return failed(reason);
    };
    if (columns.has(name) || references.has(name)) fail(`the field ${name} is there twice`);
    else if (!graphqlName.test(name) || name.startsWith("__")) fail(`"${name}" is not a GraphQL name`);
    else if ("scalar" in type) {
      const found = typeOf(type.scalar, catalog, fail);
      if (found !== undefined) columns.set(name, { name, graphqlName: name, type: found, nullable: type.nullable, description: description ?? undefined, enumeration: undefined });
    } else {
      const { logical_model: to } = "array" in type ? type.array : type;
      if (models.has(to)) references.add(name);
      else fail(`there is no logical model ${to}`);
    }
  }
  if (!sound) return undefined;
  const { name, description, select_permissions: permissions } = metadata;
  return { key, name, description: description ?? undefined, path, columns, relationships: new Map(), computedFields: new Map(), permissions, references };
}
