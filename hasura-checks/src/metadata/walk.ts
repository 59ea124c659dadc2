import type { Catalog } from "@routeql/metadata/catalog/catalog";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { FunctionMetadata, Metadata, SelectPermissionMetadata, TableMetadata } from "@routeql/metadata/read/shape";
import { keyOf } from "../declared/tables.ts";
import type { Project } from "./project.ts";
import { valueAt } from "@routeql/metadata/read/load";
import type { Columns, Fields } from "./conditions.ts";

export interface PlacedTable {
  readonly source: string;
  readonly table: TableMetadata;
  readonly key: string;
  readonly path: MergedPath;
  /** The entry of the table in the files, including keys that the embedded engine does not serve. */
  readonly raw: Readonly<Record<string, unknown>>;
}

export interface PlacedPermission extends Pick<PlacedTable, "source" | "key" | "path">, Columns {
  readonly role: string;
  readonly permission: SelectPermissionMetadata["permission"];
  readonly at: MergedPath;
  /** All columns of a logical model; undefined for a table. */
  readonly columns: readonly string[] | undefined;
}

type Using = TableMetadata["object_relationships" | "array_relationships"][number]["using"];

/** The input of functions that list parts of the metadata. */
export interface Walked {
  readonly metadata: Metadata;
  readonly project: Pick<Project, "loaded">;
  readonly catalogs?: readonly (Catalog | undefined)[] | undefined;
}

/** Caches a list, because every rule uses it. */
function kept<Result>(walk: (walked: Walked) => Result): (walked: Walked) => Result {
  const results = new WeakMap<Walked, Result>();
  return (walked) => {
    const known = results.get(walked);
    if (known !== undefined) return known;
    const result = walk(walked);
    results.set(walked, result);
    return result;
  };
}

export const tablesOf: (walked: Walked) => readonly PlacedTable[] = kept(({ metadata, project }) =>
  metadata.sources.flatMap((source, index) =>
    source.tables.map((table, position) => {
      const path = ["sources", index, "tables", position];
      const raw = (valueAt(project.loaded.merged, path) ?? {}) as Readonly<Record<string, unknown>>;
      return { source: source.name, table, key: keyOf(table.table), path, raw };
    }),
  ),
);

/** Objects with select permissions: tables and logical models, including those of native queries. */
function readableOf(examined: Walked) {
  const tables = tablesOf(examined).map((placed) => ({
    ...placed,
    entries: placed.table.select_permissions,
    ...columnsOf(placed, examined),
    columns: undefined,
  }));
  const models = examined.metadata.sources.flatMap(
    ({ name: source, logical_models: named, native_queries: queries }, index) => {
      const own = queries.flatMap(({ root_field_name: field, returns }, position) => {
        const path = ["sources", index, "native_queries", position, "returns"];
        return typeof returns === "string" ? [] : [{ ...returns, key: `native query ${field}`, path }];
      });
      return [
        ...named.map((model, position) => ({
          ...model,
          key: `logical model ${model.name}`,
          path: ["sources", index, "logical_models", position],
        })),
        ...own,
      ].map(({ key, path, fields, select_permissions: entries }) => ({
        source,
        key,
        path,
        // Logical models have no aggregates.
        entries: entries.map(({ role, permission }) => ({
          role,
          permission: { ...permission, allow_aggregations: false },
        })),
        isColumn: (column: string) => fields.some(({ name }) => name === column),
        // The SQL can return null for a field that the model declares as not null.
        isNeverNull: () => false,
        columns: fields.map(({ name }) => name),
      }));
    },
  );
  return [...tables, ...models];
}

export const permissionsOf: (examined: Walked) => readonly PlacedPermission[] = kept((examined) => {
  return readableOf(examined).flatMap(({ entries, ...placed }) =>
    entries.map(({ role, permission }, index) => {
      return { ...placed, role, permission, at: [...placed.path, "select_permissions", index, "permission"] };
    }),
  );
});

const writes = ["insert_permissions", "update_permissions", "delete_permissions"] as const;

/** A permission to read or write. */
export interface PlacedGrant extends Pick<PlacedTable, "source" | "key" | "path"> {
  readonly kind: "select_permissions" | (typeof writes)[number];
  readonly role: string;
  readonly permission: Fields;
  readonly at: MergedPath;
}

/** A write permission as written in the files. The embedded engine serves none. */
export interface PlacedWrite extends PlacedGrant, PlacedTable {
  readonly kind: (typeof writes)[number];
}

export const writesOf: (walked: Walked) => readonly PlacedWrite[] = kept((walked) => {
  return tablesOf(walked).flatMap((placed) =>
    writes.flatMap((kind) => {
      const entries = (Array.isArray(placed.raw[kind]) ? placed.raw[kind] : []) as readonly {
        readonly role?: unknown;
        readonly permission?: unknown;
      }[];
      return entries.map(({ role, permission }, index) => ({
        ...placed,
        kind,
        role: String(role),
        permission: (permission ?? {}) as Readonly<Record<string, unknown>>,
        at: [...placed.path, kind, index, "permission"],
      }));
    }),
  );
});

export const grantsOf = (walked: Walked): readonly PlacedGrant[] => [
  ...permissionsOf(walked).map((placed): PlacedGrant => ({ ...placed, kind: "select_permissions" })),
  ...writesOf(walked),
];

/** `insert`, `update` and so on. */
export const verbOf = (kind: PlacedGrant["kind"]): string => kind.replace("_permissions", "");

/** The related table that a relationship names; undefined if the foreign key of the own table determines it. */
export function namedTable({ manual_configuration: manual, foreign_key_constraint_on: constraint }: Using) {
  if (manual !== undefined && "remote_table" in manual) return keyOf(manual.remote_table);
  return constraint === undefined || Array.isArray(constraint) ? undefined : keyOf(constraint.table);
}

export function columnsOf(
  { table, key, path }: Pick<PlacedTable, "table" | "key" | "path">,
  walked: Pick<Walked, "catalogs">,
): Columns {
  const other = new Set(
    [...table.object_relationships, ...table.array_relationships, ...table.computed_fields].map(({ name }) => name),
  );
  const known = catalogAt({ catalogs: walked.catalogs }, path)?.tables.get(key)?.columns;
  return {
    isColumn: (name) => !name.startsWith("_") && !name.startsWith("$") && !other.has(name),
    isNeverNull: (name) => known?.get(name)?.nullable === false,
  };
}

export interface PlacedFunction {
  readonly source: string;
  readonly entry: FunctionMetadata;
  readonly key: string;
  readonly path: MergedPath;
}

export function functionsOf({ metadata }: Pick<Walked, "metadata">): readonly PlacedFunction[] {
  return metadata.sources.flatMap((source, index) =>
    source.functions.map((entry, position) => ({
      source: source.name,
      entry,
      key: keyOf(entry.function),
      path: ["sources", index, "functions", position],
    })),
  );
}

/** `a, b and c` */
export function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1) ?? ""}`;
}

export function catalogAt({ catalogs }: Pick<Walked, "catalogs">, path: MergedPath): Catalog | undefined {
  return catalogs?.[Number(path[1])];
}
