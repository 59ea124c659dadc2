import { nameKey } from "@routeql/metadata/catalog/catalog";
import type { QualifiedName, RelationshipMetadata } from "@routeql/metadata/read/shape";
import {
  type Fail,
  failing,
  type NativeQuery,
  type NativeRelationship,
  type Relationship,
  type Report,
  type RowModel,
  type TableColumn,
  type TrackedTable,
} from "../model.ts";

function pairs(
  table: RowModel,
  target: RowModel,
  mapping: readonly (readonly [string, string])[],
  fail: Fail,
): Relationship["mapping"] | undefined {
  const found: (readonly [TableColumn, TableColumn])[] = [];
  for (const [from, to] of mapping) {
    const own = table.columns.get(from);
    const remote = target.columns.get(to);
    if (own === undefined) return fail(`${table.key} has no column ${from}`);
    if (remote === undefined) return fail(`${target.key} has no column ${to}`);
    found.push([own, remote]);
  }
  return found;
}

const sameColumns = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((column) => other.includes(column));

/** The owner of a relationship, and the collection for it. */
interface Related {
  readonly relationships: Map<string, Relationship>;
  readonly nativeRelationships: Map<string, NativeRelationship>;
}

export interface Targets {
  readonly tables: ReadonlyMap<string, TrackedTable>;
  readonly queries: ReadonlyMap<string, NativeQuery>;
}

type Mapped = {
  readonly column_mapping: Readonly<Record<string, string>>;
  readonly insertion_order?: "before_parent" | "after_parent" | null | undefined;
} & ({ readonly remote_table: QualifiedName } | { readonly remote_native_query: string });

/** A relationship with explicit columns, to a table or to a native query. */
function relateByColumns(
  own: RowModel,
  into: Related,
  common: Pick<Relationship, "name" | "kind">,
  mapped: Mapped,
  { tables, queries }: Targets,
  fail: Fail,
): void {
  const columns = Object.entries(mapped.column_mapping);
  if ("remote_table" in mapped) {
    const name = nameKey(mapped.remote_table);
    const target = tables.get(name) ?? fail(`${name} is not tracked`);
    const mapping = target && pairs(own, target, columns, fail);
    const isInsertedAfter = common.kind === "array" || mapped.insertion_order === "after_parent";
    if (target !== undefined && mapping !== undefined)
      into.relationships.set(common.name, { ...common, target, mapping, nullable: true, isInsertedAfter });
  } else {
    const query =
      queries.get(mapped.remote_native_query) ?? fail(`there is no native query ${mapped.remote_native_query}`);
    const mapping = query && pairs(own, query.model, columns, fail);
    if (query !== undefined && mapping !== undefined)
      into.nativeRelationships.set(common.name, { ...common, query, mapping });
  }
}

function byForeignKey(
  table: TrackedTable,
  kind: "object" | "array",
  { name, using: { foreign_key_constraint_on: constraint } }: RelationshipMetadata,
  tables: ReadonlyMap<string, TrackedTable>,
  fail: Fail,
): Relationship | undefined {
  const tracked = (key: QualifiedName) => tables.get(nameKey(key)) ?? fail(`${nameKey(key)} is not tracked`);
  const common = { name, kind };
  if (constraint === undefined) return fail("it has no definition");
  if (Array.isArray(constraint)) {
    if (kind === "array")
      return fail("an array relationship's foreign key is in the other table: give {table, column}");
    const key = table.catalog.foreignKeys.find(({ columns }) => sameColumns(columns, constraint));
    if (key === undefined) return fail(`there is no foreign key on ${constraint.join(", ")}`);
    const target = tracked(key.target);
    const mapping =
      target &&
      pairs(
        table,
        target,
        key.columns.map((column, index) => [column, key.targetColumns[index] ?? ""] as const),
        fail,
      );
    return (
      mapping && { ...common, target, mapping, nullable: mapping.some(([own]) => own.nullable), isInsertedAfter: false }
    );
  }
  const target = tracked(constraint.table);
  if (target === undefined) return undefined;
  const key = target.catalog.foreignKeys.find(
    ({ columns, target: to }) => sameColumns(columns, constraint.columns) && nameKey(to) === table.key,
  );
  if (key === undefined)
    return fail(`${target.key} has no foreign key on ${constraint.columns.join(", ")} to ${table.key}`);
  const mapping = pairs(
    table,
    target,
    key.columns.map((column, index) => [key.targetColumns[index] ?? "", column] as const),
    fail,
  );
  return mapping && { ...common, target, mapping, nullable: true, isInsertedAfter: true };
}

/** Stores a table's relationship in the right collection. */
export function relateTable(
  table: TrackedTable,
  kind: "object" | "array",
  metadata: RelationshipMetadata,
  targets: Targets,
  fail: Fail,
): void {
  const {
    name,
    using: { manual_configuration: manual },
  } = metadata;
  if (manual !== undefined) {
    relateByColumns(table, table, { name, kind }, manual, targets, fail);
    return;
  }
  const relationship = byForeignKey(table, kind, metadata, targets.tables, fail);
  if (relationship !== undefined) table.relationships.set(name, relationship);
}

export function relateNativeQuery(query: NativeQuery, targets: Targets, report: Report): void {
  for (const kind of ["object", "array"] as const) {
    const key = `${kind}_relationships` as const;
    for (const [index, { name, using }] of query.metadata[key].entries()) {
      relateByColumns(
        query.model,
        query,
        { name, kind },
        using,
        targets,
        failing(report, [...query.path, key, index, "using"], `${kind}_relationship`, `${query.name}.${name}`),
      );
    }
  }
}
