import {
  type Catalog,
  type CatalogTable,
  type DatabaseType,
  nameKey,
  refersToKey,
} from "@routeql/metadata/catalog/catalog";
import type {
  ComputedFieldMetadata,
  QualifiedName,
  RelationshipMetadata,
  TableMetadata,
} from "@routeql/metadata/read/shape";
import { type NameBase, type Naming, rootFieldNames, type TableRootField } from "@routeql/metadata/naming";
import { underivable } from "./permission.ts";

export interface DeclaredRelationship {
  readonly name: string;
  readonly kind: "object" | "array";
  /** Key of the other table. */
  readonly target: string;
  /** Own column to the column of the other table. */
  readonly mapping: Readonly<Record<string, string>>;
}

export interface DeclaredComputedField {
  readonly name: string;
  readonly function: QualifiedName;
  /** Key of the table whose rows it returns; undefined for a scalar. */
  readonly target: string | undefined;
  readonly type: DatabaseType | undefined;
  readonly rowOnly: boolean;
}

export interface DeclaredTable {
  /** `schema.name` */
  readonly key: string;
  readonly schema: string;
  readonly name: string;
  /** Prefix of its generated names. */
  readonly names: NameBase;
  readonly typeName: string;
  /** The root field `select`. */
  readonly rootField: string;
  readonly roots: Readonly<Record<TableRootField, string>>;
  /** Names of the columns that at least one role may read. */
  readonly columns: readonly string[];
  /** GraphQL names of columns by their names in the database; all columns with a catalogue. */
  readonly fields: ReadonlyMap<string, string>;
  readonly types: ReadonlyMap<string, DatabaseType>;
  /** Columns that are NOT NULL. */
  readonly neverNull: ReadonlySet<string>;
  /** Columns that refer to an enum table, and whether their values are in capitals, as under graphql-default. */
  readonly enums: ReadonlyMap<string, boolean>;
  readonly primaryKey: readonly string[] | undefined;
  readonly isView: boolean;
  readonly relationships: readonly DeclaredRelationship[];
  /** Relationships to native queries, with their root field instead of the key of a table. */
  readonly nativeRelationships: readonly DeclaredRelationship[];
  readonly computedFields: readonly DeclaredComputedField[];
}

export const keyOf: (name: QualifiedName) => string = nameKey;

/** @throws UnderivableMetadata */
export function tableOf(
  table: TableMetadata,
  all: readonly TableMetadata[],
  naming: Naming,
  catalog: Catalog | undefined,
): DeclaredTable {
  const key = keyOf(table.table);
  const found = catalog?.tables.get(key);
  if (catalog !== undefined && found === undefined) underivable(`the database has no table ${key}`);
  const names = naming.base(table.configuration?.custom_name, table.table);
  const roots = rootFieldNames(table, names, naming);
  const granted = table.select_permissions.flatMap(({ permission }) => columnsOf(permission.columns, key, found));
  const columns = [...new Set(granted)].sort();
  return {
    key,
    schema: table.table.schema,
    name: table.table.name,
    names,
    typeName: naming.type(names),
    rootField: roots.select,
    roots,
    columns,
    fields: new Map([...(found?.columns.keys() ?? columns)].map((column) => [column, fieldOf(table, column, naming)])),
    types: new Map([...(found?.columns.values() ?? [])].map(({ name, type }) => [name, type])),
    neverNull: new Set([...(found?.columns.values() ?? [])].flatMap(({ name, nullable }) => (nullable ? [] : [name]))),
    enums: new Map(enumColumns(found, all, catalog).map((column) => [column, naming.enumsInCapitals])),
    primaryKey: found?.primaryKey,
    isView: found?.kind === "view" || found?.kind === "materialized view",
    relationships: [
      ...table.object_relationships.flatMap((entry) => relationshipOf(table, "object", entry, catalog) ?? []),
      ...table.array_relationships.flatMap((entry) => relationshipOf(table, "array", entry, catalog) ?? []),
    ],
    nativeRelationships: [
      ...nativeRelationshipsOf("object", table.object_relationships),
      ...nativeRelationshipsOf("array", table.array_relationships),
    ],
    computedFields: table.computed_fields.map((entry) => computedFieldOf(key, entry, all, catalog)),
  };
}

function enumColumns(
  found: CatalogTable | undefined,
  all: readonly TableMetadata[],
  catalog: Catalog | undefined,
): readonly string[] {
  const enums = new Set(all.filter(({ is_enum: isEnum }) => isEnum === true).map(({ table }) => keyOf(table)));
  return (found?.foreignKeys ?? []).flatMap((key) => {
    const target = keyOf(key.target);
    return enums.has(target) && refersToKey(key, catalog?.tables.get(target)) ? key.columns : [];
  });
}

/** Columns of a permission by name. @throws UnderivableMetadata for `*` without a catalogue */
export function columnsOf(
  columns: "*" | readonly string[],
  key: string,
  table: Pick<CatalogTable, "columns"> | undefined,
): readonly string[] {
  if (columns !== "*") return columns;
  if (table === undefined) underivable(`${key} grants all columns, which needs a database`);
  return [...table.columns.keys()];
}

function fieldOf(table: TableMetadata, column: string, naming: Naming): string {
  const { column_config: config, custom_column_names: older } = table.configuration ?? {};
  return config?.[column]?.custom_name ?? older?.[column] ?? naming.field(column);
}

function nativeRelationshipsOf(
  kind: "object" | "array",
  relationships: readonly RelationshipMetadata[],
): readonly DeclaredRelationship[] {
  return relationships.flatMap(({ name, using: { manual_configuration: manual } }) =>
    manual !== undefined && "remote_native_query" in manual
      ? [{ name, kind, target: manual.remote_native_query, mapping: manual.column_mapping }]
      : [],
  );
}

const pairs = (from: readonly string[], to: readonly string[]): DeclaredRelationship["mapping"] =>
  Object.fromEntries(from.map((column, index) => [column, to[index] ?? ""]));

/** @returns undefined for a relationship to a native query */
function relationshipOf(
  { table }: TableMetadata,
  kind: "object" | "array",
  { name, using }: RelationshipMetadata,
  catalog: Catalog | undefined,
): DeclaredRelationship | undefined {
  const { manual_configuration: manual, foreign_key_constraint_on: constraint } = using;
  const key = keyOf(table);
  if (manual !== undefined)
    return "remote_table" in manual
      ? { name, kind, target: keyOf(manual.remote_table), mapping: manual.column_mapping }
      : undefined;
  if (catalog === undefined || constraint === undefined)
    underivable(`${key}.${name} follows a foreign key, which needs a database`);
  const keysOf = (name: string) => catalog.tables.get(name)?.foreignKeys ?? [];
  const same = (one: readonly string[], other: readonly string[]) =>
    one.toSorted().join("\n") === other.toSorted().join("\n");
  if (Array.isArray(constraint)) {
    const own = keysOf(key).find(({ columns }) => same(columns, constraint));
    if (own === undefined) underivable(`${key}.${name}: the database has no such foreign key`);
    return { name, kind, target: keyOf(own.target), mapping: pairs(own.columns, own.targetColumns) };
  }
  const target = keyOf(constraint.table);
  const other = keysOf(target).find(
    ({ columns, target: to }) => keyOf(to) === key && same(columns, constraint.columns),
  );
  if (other === undefined) underivable(`${key}.${name}: the database has no such foreign key`);
  return { name, kind, target, mapping: pairs(other.targetColumns, other.columns) };
}

function computedFieldOf(
  key: string,
  { name, definition }: ComputedFieldMetadata,
  all: readonly TableMetadata[],
  catalog: Catalog | undefined,
): DeclaredComputedField {
  const found = catalog?.functions.get(keyOf(definition.function))?.[0];
  if (found === undefined) underivable(`${key} has the computed field ${name}, which needs a database`);
  const returned = found.returnTable === undefined ? undefined : keyOf(found.returnTable);
  const target = all.some(({ table }) => keyOf(table) === returned) ? returned : undefined;
  return {
    name,
    function: definition.function,
    target,
    type: target === undefined ? found.returnType : undefined,
    rowOnly: found.arguments.length === 1,
  };
}
