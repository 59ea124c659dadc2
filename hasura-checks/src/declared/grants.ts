import type { Metadata, SelectPermissionMetadata, TableMetadata } from "@routeql/metadata/read/shape";
import { largest } from "@routeql/metadata/read/roles";
import type { TableRootField } from "@routeql/metadata/naming";
import { type DeclaredPermission, type Filter, type Operation, operations } from "./permission.ts";
import { columnsOf, type DeclaredTable, keyOf } from "./tables.ts";

export interface Grants {
  readonly roles: readonly string[];
  permission(role: string, table: string): DeclaredPermission | undefined;
  /** A role and all roles that it inherits from, at any depth. */
  partsOf(role: string): readonly string[];
}

/** A permission before its root fields are known. */
export interface Grant {
  readonly columns: ReadonlyMap<string, Filter | undefined>;
  readonly computedFields: ReadonlyMap<string, Filter | undefined>;
  readonly filter: Filter;
  readonly limit: number | undefined;
  readonly aggregates: boolean;
  /** undefined = all. */
  readonly queried: readonly string[] | undefined;
  readonly subscribed: readonly string[] | undefined;
}

const rootOfOperation: Readonly<Record<Operation, readonly ["queried" | "subscribed", TableRootField]>> = {
  query: ["queried", "select"],
  "query by key": ["queried", "select_by_pk"],
  "query aggregate": ["queried", "select_aggregate"],
  "live query": ["subscribed", "select"],
  "live query by key": ["subscribed", "select_by_pk"],
  "live aggregate": ["subscribed", "select_aggregate"],
  stream: ["subscribed", "select_stream"],
};

export function grantsOf(
  entries: readonly TableMetadata[],
  tables: ReadonlyMap<string, DeclaredTable>,
  inherited: Metadata["inherited_roles"],
): Grants {
  const own = new Map<string, Grant>();
  for (const table of entries) {
    const key = keyOf(table.table);
    for (const entry of table.select_permissions)
      own.set(`${entry.role}\n${key}`, grantOf(entry, key, tables.get(key)));
  }
  const sets = new Map(inherited.map(({ role_name: role, role_set: parts }) => [role, parts]));
  const partsOf = (role: string, above: readonly string[] = []): readonly string[] =>
    above.includes(role) ? [] : [role, ...(sets.get(role) ?? []).flatMap((part) => partsOf(part, [...above, role]))];
  const known = new Map<string, DeclaredPermission | undefined>();
  return {
    roles: [...entries.flatMap((table) => table.select_permissions.map(({ role }) => role)), ...sets.keys()],
    partsOf: (role) => partsOf(role),
    permission: (role, key) => {
      const name = `${role}\n${key}`;
      if (!known.has(name))
        known.set(
          name,
          permissionOf(role, key, tables, (table) =>
            inheritedGrant(role, sets, (part) => own.get(`${part}\n${table}`)),
          ),
        );
      return known.get(name);
    },
  };
}

function grantOf({ permission }: SelectPermissionMetadata, key: string, table: DeclaredTable | undefined): Grant {
  const all =
    table === undefined || table.types.size === 0 ? undefined : { columns: table.types as ReadonlyMap<string, never> };
  return {
    columns: new Map(columnsOf(permission.columns, key, all).map((column) => [column, undefined])),
    computedFields: new Map(permission.computed_fields.map((field) => [field, undefined])),
    filter: permission.filter,
    limit: permission.limit ?? undefined,
    aggregates: permission.allow_aggregations,
    queried: permission.query_root_fields ?? undefined,
    subscribed: permission.subscription_root_fields ?? undefined,
  };
}

/** The grant of a role: its own, or else that of the roles in its set. */
export function inheritedGrant(
  role: string,
  sets: ReadonlyMap<string, readonly string[]>,
  own: (role: string) => Grant | undefined,
  above: readonly string[] = [],
): Grant | undefined {
  const direct = own(role);
  if (direct !== undefined || above.includes(role)) return direct;
  const parts = (sets.get(role) ?? []).flatMap((part) => inheritedGrant(part, sets, own, [...above, role]) ?? []);
  return parts.length === 0 ? undefined : combined(parts);
}

/** The rule of Hasura for inherited roles: rows of every contained role, cells only in rows of roles that grant them, and the largest limit. */
function combined(parts: readonly Grant[]): Grant {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const union = (lists: readonly (readonly string[] | undefined)[]) =>
    lists.some((list) => list === undefined) ? undefined : lists.flatMap((list) => list ?? []);
  return {
    columns: cellsOf(parts, ({ columns }) => columns),
    computedFields: cellsOf(parts, ({ computedFields }) => computedFields),
    filter: { _or: parts.map(({ filter }) => filter) },
    limit: largest(parts.map(({ limit }) => limit)),
    aggregates: parts.some(({ aggregates }) => aggregates),
    queried: union(parts.map(({ queried }) => queried)),
    subscribed: union(parts.map(({ subscribed }) => subscribed)),
  };
}

function cellsOf(parts: readonly Grant[], read: (grant: Grant) => Grant["columns"]): Grant["columns"] {
  const names = new Set(parts.flatMap((part) => [...read(part).keys()]));
  return new Map(
    [...names].map((name) => {
      const granting = parts.filter((part) => read(part).has(name));
      const bare = granting.every((part) => read(part).get(name) === undefined);
      if (bare && granting.length === parts.length) return [name, undefined];
      const conditions = granting.map((part): Filter => {
        const cell = read(part).get(name);
        return cell === undefined ? part.filter : { _and: [part.filter, cell] };
      });
      return [
        name,
        conditions.some((condition) => Object.keys(condition).length === 0) ? undefined : { _or: conditions },
      ];
    }),
  );
}

/** Columns and computed fields that are null in some rows, with the condition for a value. */
export function cellsIn({ columns, computedFields }: Grant): ReadonlyMap<string, Filter> {
  return new Map(
    [...columns, ...computedFields].flatMap(([name, cell]) => (cell === undefined ? [] : [[name, cell] as const])),
  );
}

function permissionOf(
  role: string,
  key: string,
  tables: ReadonlyMap<string, DeclaredTable>,
  grant: (table: string) => Grant | undefined,
): DeclaredPermission | undefined {
  const own = grant(key);
  const table = tables.get(key);
  if (own === undefined || table === undefined) return undefined;
  const wholeKey =
    table.primaryKey !== undefined &&
    table.primaryKey.length > 0 &&
    table.primaryKey.every((column) => own.columns.has(column));
  const possible: Readonly<Record<TableRootField, boolean>> = {
    select: true,
    select_by_pk: wholeKey,
    select_aggregate: own.aggregates,
    select_stream: own.columns.size > 0,
  };
  const granted = (operation: Operation) => {
    const [list, root] = rootOfOperation[operation];
    return possible[root] && own[list]?.includes(root) !== false;
  };
  return {
    role,
    table: key,
    columns: [...own.columns.keys()].sort(),
    cells: cellsIn(own),
    computedFields: [...own.computedFields.keys()].sort(),
    filter: own.filter,
    limit: own.limit,
    aggregates: own.aggregates,
    operations: new Set(operations.filter(granted)),
  };
}
