import { type DatabaseType, nameKey } from "@routeql/metadata/catalog/catalog";
import { rootFieldNames } from "@routeql/metadata/naming";
import type { MergedPath } from "@routeql/metadata/read/load";
import { argumentsTypeName, inputTypeNames, rowTypeName } from "./native-types.ts";
import { clientArguments, objectTypeAt, type Report } from "../model.ts";
import type { ResolvedSource } from "./resolve.ts";
import { conflictingTypes, type RoleSchemaOptions, type RoleSource } from "./role-schema.ts";
import { scalarName } from "./scalars.ts";

interface NamedType {
  readonly name: string;
  readonly owner: string;
  readonly path: MergedPath;
}

/** Types of native queries; Hasura adds the source's prefix and suffix to only a few of them. */
function nativeTypes(source: ResolvedSource): readonly NamedType[] {
  const queries = [...source.nativeQueries.values()];
  const related = [...queries, ...source.tables.values()].flatMap(({ nativeRelationships, path }) =>
    [...nativeRelationships.values()].map(({ name, query }) => ({ name, query, path })),
  );
  return [
    ...source.models.flatMap((model) =>
      Object.values(inputTypeNames(model, source)).map((name) => ({ name, owner: model.key, path: model.path })),
    ),
    ...queries.map((query) => {
      const name = rowTypeName(query);
      const owner = name === query.model.name ? query.model.key : `the native query ${query.name}`;
      return { name, owner, path: query.path };
    }),
    ...[...queries.map((query) => ({ name: query.name, query, path: query.path })), ...related]
      .filter(({ query }) => query.arguments.length > 0)
      .map(({ name, query, path }) => ({
        name: argumentsTypeName(name),
        owner: `the arguments of the native query ${query.name}`,
        path,
      })),
  ];
}

const tableSuffixes = [
  undefined,
  "aggregate",
  "aggregate_fields",
  "aggregate_order_by",
  "bool_exp",
  "order_by",
  "select_column",
  "stream_cursor_input",
  "stream_cursor_value_input",
];

/** Types that the rows of each table bring along, and that the administrator always sees. */
const generatedSuffixes = [
  "aggregate",
  "aggregate_fields",
  "bool_exp",
  "mutation_response",
  "order_by",
  "select_column",
  "stream_cursor_input",
];

/** Names of types that are no table's, each with its origin. */
function otherTypes({ naming, tables, functions }: ResolvedSource): Map<string, string> {
  const origins = new Map<string, string>();
  const add = ({ element, ...type }: DatabaseType, origin: string, name = scalarName(element ?? type)): void => {
    origins.set(name, `the type of ${origin}`);
  };
  for (const { call } of functions)
    for (const { name, type } of clientArguments(call)) add(type, `the argument ${name} of ${nameKey(call.function)}`);
  for (const { key, columns, computedFields } of tables.values()) {
    for (const { name, result } of computedFields.values())
      if (result.kind === "scalar") add(result.type, `the computed field ${key}.${name}`);
    for (const { name, type, enumeration } of columns.values())
      add(type, `the column ${key}.${name}`, enumeration?.typeName);
  }
  const shared = ["query_root", "mutation_root", "subscription_root", "Int", "Float", "String", "Boolean"];
  for (const name of [...shared, naming.unaffixed("order_by"), naming.shared("cursor_ordering")])
    origins.set(name, "a type of every schema");
  return origins;
}

/** A table named like another type, such as a table `date` beside a column of the type date, would replace that type. */
function checkTableTypes(source: ResolvedSource, report: Report): void {
  const { naming, tables } = source;
  const origins = otherTypes(source);
  for (const { key, names } of tables.values())
    for (const suffix of generatedSuffixes) origins.set(naming.type(names, suffix), `a type of ${key}`);
  for (const { key, names, path } of tables.values()) {
    const name = naming.type(names);
    const origin = origins.get(name);
    if (origin === undefined) continue;
    report(
      [...path, "table"],
      "table",
      key,
      `its GraphQL type would be called ${name}, like ${origin}; give it a custom_name`,
    );
  }
}

/** A type name is unique within a source. Two native queries may share a logical model, and fields of one name a native query. */
function checkNativeTypes(source: ResolvedSource, report: Report): void {
  const owners = new Map<string, string>();
  for (const table of source.tables.values())
    for (const suffix of tableSuffixes) owners.set(source.naming.type(table.names, suffix), table.key);
  for (const { name, owner, path } of nativeTypes(source)) {
    const other = owners.get(name);
    if (other === undefined) owners.set(name, owner);
    else if (other !== owner)
      report(path, objectTypeAt(path), owner, `${owner} would define the type ${name}, which ${other} defines`);
  }
}

/** Names of a source's root fields for a role that may see everything. */
function rootFieldsOf({
  naming,
  tables,
  functions,
  nativeQueries,
}: ResolvedSource): readonly { readonly name: string; readonly owner: string; readonly path: MergedPath }[] {
  return [
    ...[...tables.values()].flatMap((table) => {
      const names = rootFieldNames(table.metadata, table.names, naming);
      const given = [
        names.select,
        names.select_aggregate,
        names.select_stream,
        ...(table.catalog.primaryKey === undefined ? [] : [names.select_by_pk]),
      ];
      return given.map((name) => ({ name, owner: table.key, path: [...table.path, "table"] }));
    }),
    ...functions.flatMap(({ fields, path, call }) =>
      [fields.rows, fields.aggregate].map((name) => ({
        name: naming.rootField(name),
        owner: `the function ${nameKey(call.function)}`,
        path: [...path, "function"],
      })),
    ),
    ...[...nativeQueries.values()].map(({ name, path }) => ({
      name,
      owner: `the native query ${name}`,
      path: [...path, "root_field_name"],
    })),
  ];
}

/** A root field is unique within a source. */
function checkRootFields(source: ResolvedSource, report: Report): void {
  const owners = new Map<string, string>();
  for (const { name, owner, path } of rootFieldsOf(source)) {
    const other = owners.get(name);
    if (other !== undefined)
      report(path, objectTypeAt(path), owner, `${owner} would define the root field ${name}, which ${other} defines`);
    owners.set(name, owner);
  }
}

/** Names that must differ between sources: root fields, or the namespace of all of them. */
function rootNames(source: ResolvedSource): readonly string[] {
  const { namespace } = source.naming;
  return namespace === undefined ? rootFieldsOf(source).map(({ name }) => name) : [namespace];
}

/** Names that two sources may share if the definitions are equal. */
function typeNames(source: ResolvedSource): readonly string[] {
  return [
    ...[...source.tables.values()].map((table) => source.naming.type(table.names)),
    ...nativeTypes(source).map(({ name }) => name),
  ];
}

/** Reports each name that a source shares with an earlier one. */
function checkCommon(
  sources: readonly RoleSource[],
  namesOf: (source: ResolvedSource) => readonly string[],
  found: (index: number, name: string, owner: string) => void,
): void {
  const owners = new Map<string, string>();
  for (const [index, { source }] of sources.entries()) {
    for (const name of new Set(namesOf(source))) {
      const owner = owners.get(name);
      if (owner === undefined) owners.set(name, source.name);
      else found(index, name, owner);
    }
  }
}

/** Root fields and types are unique. Two sources may have a table with one name if its types have the same fields for each role, as in Hasura. */
export function checkNames(
  sources: readonly RoleSource[],
  roles: readonly string[],
  options: RoleSchemaOptions,
  report: Report,
): void {
  for (const { source } of sources) {
    checkRootFields(source, report);
    checkTableTypes(source, report);
    checkNativeTypes(source, report);
  }
  const twice = (index: number, what: string, owner: string): void =>
    report(
      ["sources", index, "name"],
      "source",
      sources[index]?.source.name ?? "",
      `duplicate ${what}: here and in source ${owner}`,
    );
  checkCommon(sources, rootNames, (index, name, owner) => twice(index, `root field ${name}`, owner));
  const common = new Set<string>();
  checkCommon(sources, typeNames, (_index, name) => common.add(name));
  if (common.size === 0) return;
  const told = new Set<string>();
  for (const { name, index, owner } of ["admin", ...roles].flatMap((role) =>
    conflictingTypes(sources, role, options),
  )) {
    const key = `${String(index)} ${name}`;
    if (!told.has(key)) twice(index, `type ${name}`, `${owner}, with other fields`);
    told.add(key);
  }
}
