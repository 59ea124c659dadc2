import { nameKey, refersToKey, type Catalog, type CatalogTable } from "@routeql/metadata/catalog/catalog";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { SourceMetadata, TableMetadata } from "@routeql/metadata/read/shape";
import {
  description,
  type Fail,
  failing,
  type LogicalModel,
  type NativeQuery,
  type Report,
  type TableColumn,
  title,
  type TrackedFunction,
  type TrackedTable,
} from "../model.ts";
import { resolveComputedField, resolveFunction } from "./functions.ts";
import type { NativeObjects } from "./native-queries.ts";
import { graphqlName, type Naming, reservedEnumValues } from "@routeql/metadata/naming";
import { relateNativeQuery, relateTable, type Targets } from "./relationships.ts";
import { unnameable } from "./scalars.ts";

export interface ResolvedSource {
  readonly name: string;
  readonly naming: Naming;
  readonly tables: ReadonlyMap<string, TrackedTable>;
  readonly functions: readonly TrackedFunction[];
  readonly models: readonly LogicalModel[];
  readonly nativeQueries: ReadonlyMap<string, NativeQuery>;
}

function columnsOf(
  catalog: CatalogTable,
  metadata: TableMetadata,
  naming: Naming,
  path: MergedPath,
  report: Report,
): Map<string, TableColumn> {
  const configuration = metadata.configuration;
  const columns = new Map<string, TableColumn>();
  for (const key of ["column_config", "custom_column_names"] as const) {
    for (const column of Object.keys(configuration?.[key] ?? {})) {
      if (!catalog.columns.has(column))
        report([...path, "configuration", key, column], "table", nameKey(catalog), `there is no column ${column}`);
    }
  }
  for (const column of catalog.columns.values()) {
    const config = configuration?.column_config?.[column.name];
    const name = config?.custom_name ?? configuration?.custom_column_names?.[column.name] ?? naming.field(column.name);
    if (!graphqlName.test(name) || name.startsWith("__")) continue;
    columns.set(column.name, {
      name: column.name,
      graphqlName: name,
      type: column.type,
      nullable: column.nullable,
      description: description(config?.comment, column.comment),
      enumeration: undefined,
    });
  }
  return columns;
}

/** Two columns with one field name, a possible result of a naming convention. */
function conflictOf(columns: Iterable<TableColumn>): string | undefined {
  const owners = new Map<string, string>();
  for (const { name, graphqlName } of columns) {
    const owner = owners.get(graphqlName);
    if (owner !== undefined)
      return `the columns ${owner} and ${name} would both be the field ${graphqlName}; give one a custom_name`;
    owners.set(graphqlName, name);
  }
  return undefined;
}

/** A column whose type has no name in GraphQL. */
function untypedOf(columns: Iterable<TableColumn>): string | undefined {
  for (const { name, type } of columns) {
    const reason = unnameable(type);
    if (reason !== undefined) return `the column ${name} has no GraphQL type: ${reason}`;
  }
  return undefined;
}

function resolveTable(
  metadata: TableMetadata,
  catalog: Catalog,
  naming: Naming,
  path: MergedPath,
  report: Report,
): TrackedTable | undefined {
  const key = nameKey(metadata.table);
  const found = catalog.tables.get(key);
  if (found === undefined) {
    report([...path, "table"], "table", key, `the database has no table or view ${key}`);
    return undefined;
  }
  const names = naming.base(metadata.configuration?.custom_name, metadata.table);
  if (!graphqlName.test(names.field)) {
    report([...path, "table"], "table", key, `"${names.field}" is not a GraphQL name; give it a custom_name`);
    return undefined;
  }
  const columns = columnsOf(found, metadata, naming, path, report);
  const problem = conflictOf(columns.values()) ?? untypedOf(columns.values());
  if (problem !== undefined) {
    report([...path, "table"], "table", key, problem);
    return undefined;
  }
  return {
    key,
    catalog: found,
    metadata,
    path,
    names,
    description: description(
      metadata.configuration?.comment,
      found.comment ?? `columns and relationships of ${title(metadata.table)}`,
    ),
    columns,
    relationships: new Map(),
    computedFields: new Map(),
    nativeRelationships: new Map(),
    enumeration: undefined,
  };
}

function resolveEnumeration(table: TrackedTable, catalog: Catalog, naming: Naming, report: Report): void {
  if (table.metadata.is_enum !== true) return;
  const path = [...table.path, "is_enum"];
  const fail = (reason: string) => report(path, "table", table.key, `cannot be an enum table: ${reason}`);
  const columns = [...table.catalog.columns.values()];
  const text = columns.every(({ type }) => type.name === "text" || type.name === "varchar");
  if (table.catalog.primaryKey?.length !== 1) return fail("it needs a primary key of exactly one column");
  if (columns.length > 2 || !text) return fail("it may have one further column, and both must be text");
  const values = catalog.enums.get(table.key) ?? [];
  if (values.length === 0) return fail("it has no rows");
  const bad = values.filter(({ value }) => !graphqlName.test(value) || reservedEnumValues.has(value));
  if (bad.length > 0)
    return fail(`these values are not GraphQL names: ${bad.map(({ value }) => JSON.stringify(value)).join(", ")}`);
  table.enumeration = { table, typeName: naming.type(table.names, "enum"), values, inCapitals: naming.enumsInCapitals };
}

/** Columns with a foreign key to the key of an enum table get that enum's type. */
function applyEnumerations(table: TrackedTable, tables: ReadonlyMap<string, TrackedTable>, report: Report): void {
  for (const key of table.catalog.foreignKeys) {
    const target = tables.get(nameKey(key.target));
    const column = table.columns.get(key.columns[0] ?? "");
    if (target?.enumeration === undefined || column === undefined || !refersToKey(key, target.catalog)) continue;
    if (column.enumeration === undefined)
      table.columns.set(column.name, { ...column, enumeration: target.enumeration });
    else report(table.path, "table", table.key, `the column ${column.name} refers to multiple enum tables`);
  }
}

function resolveFields(table: TrackedTable, targets: Targets, catalog: Catalog, naming: Naming, report: Report): void {
  const taken = new Set([...table.columns.values()].map(({ graphqlName }) => graphqlName));
  const claim = (name: string, fail: Fail) =>
    taken.has(name) ? fail(`the table has another field of the name ${name}`) : taken.add(name);
  for (const kind of ["object", "array"] as const) {
    const key = `${kind}_relationships` as const;
    for (const [index, metadata] of table.metadata[key].entries()) {
      const fail = failing(
        report,
        [...table.path, key, index],
        `${kind}_relationship`,
        `${table.key}.${metadata.name}`,
      );
      if (claim(metadata.name, fail) === undefined) continue;
      relateTable(table, kind, metadata, targets, fail);
    }
  }
  for (const [index, metadata] of table.metadata.computed_fields.entries()) {
    const fail = failing(
      report,
      [...table.path, "computed_fields", index],
      "computed_field",
      `${table.key}.${metadata.name}`,
    );
    if (claim(metadata.name, fail) === undefined) continue;
    const field = resolveComputedField(table, metadata, targets.tables, catalog, naming, fail);
    if (field !== undefined) table.computedFields.set(metadata.name, field);
  }
}

/** Resolves a source's metadata against the catalogue; invalid objects are reported and omitted. */
export function resolveSource(
  source: SourceMetadata,
  path: MergedPath,
  catalog: Catalog,
  { models, queries }: NativeObjects,
  naming: Naming,
  report: Report,
): ResolvedSource {
  const tables = new Map<string, TrackedTable>();
  for (const [index, metadata] of source.tables.entries()) {
    const own = [...path, "tables", index];
    const table = resolveTable(metadata, catalog, naming, own, report);
    if (table === undefined) continue;
    const twin = [...tables.values()].find(({ names }) => names.type === table.names.type);
    if (tables.has(table.key)) report([...own, "table"], "table", table.key, "this table is tracked twice");
    else if (twin !== undefined)
      report(
        [...own, "table"],
        "table",
        table.key,
        `the name ${table.names.field} is taken by ${twin.key}; give it a custom_name`,
      );
    else tables.set(table.key, table);
  }
  for (const table of tables.values()) resolveEnumeration(table, catalog, naming, report);
  for (const table of tables.values()) applyEnumerations(table, tables, report);
  for (const table of tables.values()) resolveFields(table, { tables, queries }, catalog, naming, report);
  for (const query of queries.values()) relateNativeQuery(query, { tables, queries }, report);
  const functions: TrackedFunction[] = [];
  for (const [index, metadata] of source.functions.entries()) {
    const own = [...path, "functions", index];
    const fail = failing(report, own, "function", nameKey(metadata.function));
    const tracked = resolveFunction(metadata, own, tables, catalog, naming, fail);
    if (tracked !== undefined) functions.push(tracked);
  }
  return { name: source.name, naming, tables, functions, models, nativeQueries: queries };
}
