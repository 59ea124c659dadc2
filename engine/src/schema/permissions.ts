import { largest } from "@routeql/metadata/read/roles";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { Metadata, SelectPermissionMetadata } from "@routeql/metadata/read/shape";
import { always, anyOf, type Condition, type Redaction } from "../sql/expression.ts";
import { FilterReader } from "./filters.ts";
import type { Report, RowModel, TrackedTable } from "../model.ts";
import type { ResolvedSource } from "./resolve.ts";
import {
  adminWrites,
  inheritedWrites,
  readOwnWrites,
  type RoleWrites,
  type TableWrites,
} from "./mutations/permissions.ts";

export type QueryRootField = "select" | "select_by_pk" | "select_aggregate";
export type SubscriptionRootField = QueryRootField | "select_stream";

/** A role's read permission on one table, or on the rows of one logical model. */
export interface TablePermission {
  /** Visible columns by their database name; a redaction hides the value in rows that do not match it. */
  readonly columns: ReadonlyMap<string, Redaction>;
  /** Visible computed fields with a scalar result; fields with rows follow the permission on the rows' table. */
  readonly computedFields: ReadonlyMap<string, Redaction>;
  readonly filter: Condition;
  readonly limit: number | undefined;
  readonly allowAggregations: boolean;
  /** undefined = all. */
  readonly queryRootFields: ReadonlySet<QueryRootField> | undefined;
  readonly subscriptionRootFields: ReadonlySet<SubscriptionRootField> | undefined;
}

/** Permissions of one role by the key of the table or logical model. Without a permission, a table does not exist for the role. */
export type RolePermissions = ReadonlyMap<string, TablePermission>;

export interface RoleBook {
  readonly roles: readonly string[];
  permissionsOf(role: string): RolePermissions;
  writesOf(role: string): RoleWrites;
  /** The parents of a role, including itself. */
  partsOf(role: string): readonly string[];
}

function adminPermission(table: RowModel): TablePermission {
  return {
    columns: new Map([...table.columns.keys()].map((column) => [column, undefined])),
    computedFields: new Map([...table.computedFields.keys()].map((field) => [field, undefined])),
    filter: always,
    limit: undefined,
    allowAggregations: true,
    queryRootFields: undefined,
    subscriptionRootFields: undefined,
  };
}

interface Permitted {
  readonly table: RowModel;
  readonly entries: readonly SelectPermissionMetadata[];
  readonly path: MergedPath;
  /** Whether the column exists, even without a field. */
  readonly hasColumn: (name: string) => boolean;
  /** Only for tables; a logical model provides the root fields of native queries, independent of its permissions. */
  readonly primaryKey?: readonly string[];
}

function permittedOf({ tables, models }: ResolvedSource): readonly Permitted[] {
  return [
    ...[...tables.values()].map((table) => ({
      table,
      entries: table.metadata.select_permissions,
      path: table.path,
      hasColumn: (name: string) => table.catalog.columns.has(name),
      primaryKey: table.catalog.primaryKey ?? [],
    })),
    ...models.map((model) => ({
      table: model,
      entries: model.permissions,
      path: model.path,
      hasColumn: (name: string) => model.columns.has(name) || model.references.has(name),
    })),
  ];
}

/** Reports root fields that contradict the rest of a permission, with Hasura's messages. */
function checkRootFields(
  { table, primaryKey }: Permitted,
  { role, permission }: SelectPermissionMetadata,
  path: MergedPath,
  source: string,
  report: (path: MergedPath, reason: string) => void,
): void {
  if (primaryKey === undefined) return;
  const hasKey =
    primaryKey.length > 0 &&
    (permission.columns === "*" || primaryKey.every((column) => permission.columns.includes(column)));
  for (const key of ["query_root_fields", "subscription_root_fields"] as const) {
    for (const [index, field] of (permission[key] ?? []).entries()) {
      if (field === "select_by_pk" && !hasKey) {
        const why = `the role "${role}" does not have access to the primary key of the table "${table.key}" in the source "${source}"`;
        const what = 'The "select_by_pk" field cannot be included in the query_root_fields or subscription_root_fields';
        report([...path, key, index], `${what} because ${why}`);
      }
      if (field === "select_aggregate" && !permission.allow_aggregations) {
        report(
          [...path, key, index],
          'The "select_aggregate" root field can only be enabled in the query_root_fields or the subscription_root_fields when "allow_aggregations" is set to true',
        );
      }
    }
  }
}

function readPermission(
  permitted: Permitted,
  entry: SelectPermissionMetadata,
  path: MergedPath,
  source: ResolvedSource,
  report: (path: MergedPath, reason: string) => void,
): TablePermission {
  const { table, hasColumn } = permitted;
  const { permission } = entry;
  const columns = permission.columns === "*" ? [...table.columns.keys()] : permission.columns;
  for (const [index, column] of columns.entries()) {
    if (!hasColumn(column)) report([...path, "columns", index], `${table.key} has no column ${column}`);
  }
  for (const [index, field] of permission.computed_fields.entries()) {
    const known = table.computedFields.get(field);
    if (known === undefined) report([...path, "computed_fields", index], `${table.key} has no computed field ${field}`);
    else if (known.result.kind === "table") {
      const why = `are auto-derived from the permissions on its returning table "${known.result.target.key}" and cannot be specified manually`;
      report([...path, "computed_fields", index], `select permissions on computed field "${field}" ${why}`);
    }
  }
  checkRootFields(permitted, entry, path, source.name, report);
  const reader = new FilterReader({ tables: source.tables, report, root: table });
  return {
    columns: new Map(columns.filter((column) => table.columns.has(column)).map((column) => [column, undefined])),
    computedFields: new Map(
      permission.computed_fields.filter((field) => table.computedFields.has(field)).map((field) => [field, undefined]),
    ),
    filter: reader.read(permission.filter, table, [...path, "filter"]),
    limit: permission.limit ?? undefined,
    allowAggregations: permission.allow_aggregations,
    queryRootFields: permission.query_root_fields ? new Set(permission.query_root_fields) : undefined,
    subscriptionRootFields: permission.subscription_root_fields
      ? new Set(permission.subscription_root_fields)
      : undefined,
  };
}

/** A cell is visible in rows of every parent that grants its column. */
function combineCells(
  parts: readonly TablePermission[],
  cells: (permission: TablePermission) => ReadonlyMap<string, Redaction>,
): ReadonlyMap<string, Redaction> {
  const names = new Set(parts.flatMap((part) => [...cells(part).keys()]));
  const combined = new Map<string, Redaction>();
  for (const name of names) {
    const granting = parts.filter((part) => cells(part).has(name));
    const conditions = granting.map((part): Condition => {
      const own = cells(part).get(name);
      return own === undefined ? part.filter : { kind: "and", items: [part.filter, own] };
    });
    // A cell that some parent does not grant is nullable in the schema, even if the other parents include every row.
    const isWhole = granting.length === parts.length && granting.every((part) => cells(part).get(name) === undefined);
    combined.set(name, isWhole ? undefined : anyOf(...conditions));
  }
  return combined;
}

function union<Value>(sets: readonly (ReadonlySet<Value> | undefined)[]): ReadonlySet<Value> | undefined {
  if (sets.some((set) => set === undefined)) return undefined;
  return new Set(sets.flatMap((set) => [...(set ?? [])]));
}

/** Hasura's rule for inherited roles: rows of any parent, cells only in rows of parents that grant them, the largest limit. */
function combinePermissions(parts: readonly TablePermission[]): TablePermission {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  return {
    columns: combineCells(parts, ({ columns }) => columns),
    computedFields: combineCells(parts, ({ computedFields }) => computedFields),
    filter: anyOf(...parts.map(({ filter }) => filter)),
    limit: largest(parts.map(({ limit }) => limit)),
    allowAggregations: parts.some(({ allowAggregations }) => allowAggregations),
    queryRootFields: union(parts.map(({ queryRootFields }) => queryRootFields)),
    subscriptionRootFields: union(parts.map(({ subscriptionRootFields }) => subscriptionRootFields)),
  };
}

function readOwn(source: ResolvedSource, report: Report): Map<string, Map<string, TablePermission>> {
  const own = new Map<string, Map<string, TablePermission>>();
  for (const permitted of permittedOf(source)) {
    const { table } = permitted;
    for (const [index, entry] of permitted.entries.entries()) {
      const path = [...permitted.path, "select_permissions", index];
      const name = `${entry.role} on ${table.key}`;
      const tables = own.get(entry.role) ?? new Map<string, TablePermission>();
      own.set(entry.role, tables);
      const fault = (reason: string) => report([...path, "role"], "select_permission", name, reason);
      if (entry.role === "admin") fault("the role admin has access to everything; remove its permission");
      else if (tables.has(table.key)) fault(`the role ${entry.role} has two select permissions on ${table.key}`);
      else {
        let sound = true;
        const permission = readPermission(permitted, entry, [...path, "permission"], source, (at, reason) => {
          sound = false;
          report(at, "select_permission", name, reason);
        });
        if (sound) tables.set(table.key, permission);
      }
    }
  }
  return own;
}

/** Reads every role's permissions; an invalid permission grants nothing. */
export function readRoles(source: ResolvedSource, inherited: Metadata["inherited_roles"], report: Report): RoleBook {
  const own = readOwn(source, report);
  const ownWrites = readOwnWrites(source, report);
  const sets = new Map<string, readonly string[]>();
  for (const [index, { role_name: name, role_set: set }] of inherited.entries()) {
    const path = ["inherited_roles", index];
    const fault = (reason: string) => report([...path, "role_name"], "inherited_role", name, reason);
    if (name === "admin") fault("admin cannot be an inherited role");
    else if (sets.has(name)) fault("this role is defined twice");
    else sets.set(name, set);
  }
  const cyclic = (name: string, seen: readonly string[]): boolean =>
    seen.includes(name) || (sets.get(name) ?? []).some((part) => cyclic(part, [...seen, name]));
  for (const [index, { role_name: name }] of inherited.entries()) {
    if (cyclic(name, [])) {
      report(["inherited_roles", index], "inherited_role", name, "its roles form a cycle");
      sets.delete(name);
    }
  }
  const known = new Set([
    ...own.keys(),
    ...ownWrites.keys(),
    ...sets.keys(),
    ...source.functions.flatMap(({ metadata }) => metadata.permissions.map(({ role }) => role)),
  ]);
  /** The grants of a role by the key of the object; an inherited role combines those of its parents. */
  const inheriting = <Rows extends RowModel, Grant>(
    objects: Iterable<Rows>,
    grantOf: (object: Rows, role: string, parents: readonly Grant[]) => Grant | undefined,
  ) => {
    const cache = new Map<string, ReadonlyMap<string, Grant>>();
    const grantsOf = (role: string): ReadonlyMap<string, Grant> => {
      const cached = cache.get(role);
      if (cached !== undefined) return cached;
      const grants = new Map<string, Grant>();
      for (const object of objects) {
        const parents = (sets.get(role) ?? []).flatMap((part) => grantsOf(part).get(object.key) ?? []);
        const grant = grantOf(object, role, parents);
        if (grant !== undefined) grants.set(object.key, grant);
      }
      cache.set(role, grants);
      return grants;
    };
    return (role: string) => (role === "admin" || known.has(role) ? grantsOf(role) : new Map<string, Grant>());
  };
  const tables = [...source.tables.values()];
  const partsOf = (role: string): readonly string[] => [role, ...(sets.get(role) ?? []).flatMap(partsOf)];
  return {
    roles: [...known].sort(),
    permissionsOf: inheriting<RowModel, TablePermission>([...tables, ...source.models], (object, role, parents) => {
      if (role === "admin") return adminPermission(object);
      return own.get(role)?.get(object.key) ?? (parents.length > 0 ? combinePermissions(parents) : undefined);
    }),
    writesOf: inheriting<TrackedTable, TableWrites>(tables, (table, role, parents) =>
      role === "admin" ? adminWrites(table) : inheritedWrites(ownWrites.get(role)?.get(table.key), parents),
    ),
    partsOf,
  };
}
