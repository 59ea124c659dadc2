import type { Metadata, QualifiedName, SelectPermissionMetadata, TableMetadata } from "../metadata/shape.ts";

/** How rows can be asked for; each is a root field of its own, under `query` or `subscription`. */
export const operations = ["query", "query aggregate", "live query", "live aggregate", "stream"] as const;
export type Operation = (typeof operations)[number];

export interface DeclaredRelationship {
  readonly name: string;
  readonly kind: "object" | "array";
  /** Key of the other table. */
  readonly target: string;
  /** Own column to the other table's column. */
  readonly mapping: Readonly<Record<string, string>>;
}

export interface DeclaredTable {
  /** `schema.name` */
  readonly key: string;
  readonly rootField: string;
  /** Columns that some role may read, by name. */
  readonly columns: readonly string[];
  readonly relationships: readonly DeclaredRelationship[];
}

export interface DeclaredPermission {
  readonly role: string;
  readonly table: string;
  readonly columns: readonly string[];
  readonly filter: Readonly<Record<string, unknown>>;
  /** Most rows of one list; undefined = no limit. */
  readonly limit: number | undefined;
  readonly aggregates: boolean;
  readonly operations: ReadonlySet<Operation>;
}

/** What metadata grant, read from nothing but the metadata. */
export interface DeclaredAccess {
  readonly roles: readonly string[];
  readonly tables: ReadonlyMap<string, DeclaredTable>;
  /** undefined: the table does not exist for the role. */
  permission(role: string, table: string): DeclaredPermission | undefined;
}

/** Metadata whose permissions cannot be derived without asking an engine. */
export class UnderivableMetadata extends Error {}

/**
 * Derives what every role is granted.
 * @throws UnderivableMetadata for names and relationships that only the database tells, inherited roles and functions
 */
export function declaredAccess({ sources, inherited_roles: inherited }: Metadata): DeclaredAccess {
  const [source] = sources;
  if (source === undefined || sources.length > 1) throw new UnderivableMetadata("permissions are derived for exactly one source");
  if (inherited.length > 0) throw new UnderivableMetadata("permissions are not derived for inherited roles");
  if (source.functions.length > 0) throw new UnderivableMetadata("permissions are not derived for tracked functions");
  if (source.customization) throw new UnderivableMetadata("permissions are not derived for sources with customized names");
  const granted = new Map<string, DeclaredPermission>();
  for (const table of source.tables) {
    for (const entry of table.select_permissions) granted.set(`${entry.role} ${keyOf(table.table)}`, permissionOf(entry, keyOf(table.table)));
  }
  return {
    roles: [...new Set([...granted.values()].map(({ role }) => role))].sort(),
    tables: new Map(source.tables.map((table) => [keyOf(table.table), tableOf(table)])),
    permission: (role, table) => granted.get(`${role} ${table}`),
  };
}

function keyOf({ schema, name }: QualifiedName): string {
  return `${schema}.${name}`;
}

function tableOf(table: TableMetadata): DeclaredTable {
  const key = keyOf(table.table);
  if (table.configuration) throw new UnderivableMetadata(`${key} has names of its own in GraphQL`);
  if (table.computed_fields.length > 0) throw new UnderivableMetadata(`${key} has computed fields`);
  const related = (kind: DeclaredRelationship["kind"], list: TableMetadata["array_relationships"]) =>
    list.map(({ name, using }): DeclaredRelationship => {
      const manual = using.manual_configuration;
      if (manual === undefined) throw new UnderivableMetadata(`${key}.${name} follows a foreign key, which only the database tells`);
      return { name, kind, target: keyOf(manual.remote_table), mapping: manual.column_mapping };
    });
  return {
    key,
    rootField: table.table.schema === "public" ? table.table.name : `${table.table.schema}_${table.table.name}`,
    columns: [...new Set(table.select_permissions.flatMap((entry) => columnsOf(entry, key)))].sort(),
    relationships: [...related("object", table.object_relationships), ...related("array", table.array_relationships)],
  };
}

function columnsOf({ permission }: SelectPermissionMetadata, table: string): readonly string[] {
  if (permission.columns === "*") throw new UnderivableMetadata(`${table} grants all columns, which only the database tells`);
  return permission.columns;
}

function permissionOf(entry: SelectPermissionMetadata, table: string): DeclaredPermission {
  const { permission, role } = entry;
  const queried = permission.query_root_fields ?? ["select", "select_aggregate"];
  const subscribed = permission.subscription_root_fields ?? ["select", "select_aggregate", "select_stream"];
  const aggregates = permission.allow_aggregations;
  const granted: Record<Operation, boolean> = {
    query: queried.includes("select"),
    "query aggregate": aggregates && queried.includes("select_aggregate"),
    "live query": subscribed.includes("select"),
    "live aggregate": aggregates && subscribed.includes("select_aggregate"),
    stream: subscribed.includes("select_stream"),
  };
  return {
    role,
    table,
    columns: columnsOf(entry, table).toSorted(),
    filter: permission.filter,
    limit: permission.limit ?? undefined,
    aggregates,
    operations: new Set(operations.filter((operation) => granted[operation])),
  };
}
