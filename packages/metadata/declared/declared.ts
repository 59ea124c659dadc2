/**
 * The granted permissions of the metadata, derived independently of the engine, so that the two can be compared.
 * @module
 */
import type { Catalog } from "../catalog/catalog.ts";
import type { Metadata } from "../read/shape.ts";
import { Naming } from "../names/naming.ts";
import { type DeclaredFunction, functionOf } from "./functions.ts";
import { type Grants, grantsOf } from "./grants.ts";
import { type DeclaredNativeQuery, nativeQueriesOf } from "./native-queries.ts";
import type { DeclaredPermission } from "./permission.ts";
import { type DeclaredTable, keyOf, tableOf } from "./tables.ts";
import { underivable } from "./underivable.ts";

/** The granted permissions, from the metadata and the catalogue of the database. */
export interface DeclaredAccess {
  readonly roles: readonly string[];
  readonly tables: ReadonlyMap<string, DeclaredTable>;
  readonly functions: readonly DeclaredFunction[];
  readonly nativeQueries: readonly DeclaredNativeQuery[];
  /** The field that contains all root fields, if there is one. */
  readonly namespace: string | undefined;
  readonly naming: Naming;
  /** undefined: the table does not exist for the role. */
  permission(role: string, table: string): DeclaredPermission | undefined;
  /** Whether a role may call a function, given that it may read the rows that it returns. */
  mayCall(role: string, called: DeclaredFunction): boolean;
  /** The permission on the rows of a native query; undefined if the role cannot select anything. */
  mayAsk(role: string, query: DeclaredNativeQuery): DeclaredPermission | undefined;
}

export interface DerivationOptions {
  /** The tracked tables and functions. Without it, no table has a primary key, and metadata that needs the database is refused. */
  readonly catalog?: Catalog;
  /** Hasura's `infer-function-permissions`; default true. */
  readonly inferFunctionPermissions?: boolean;
}

/**
 * Derives the permissions of every role.
 * @throws UnderivableMetadata for several sources, and for metadata that needs a catalogue without one
 */
export function declaredAccess(
  { sources, inherited_roles: inherited }: Metadata,
  options: DerivationOptions = {},
): DeclaredAccess {
  const [source] = sources;
  if (source === undefined || sources.length > 1)
    underivable(`permissions are derived for exactly one source, and the metadata has ${sources.length}`);
  const naming = new Naming(source.customization, "hasura-default");
  const tables = new Map(
    source.tables.map((table) => [keyOf(table.table), tableOf(table, source.tables, naming, options.catalog)] as const),
  );
  const functions = source.functions.map((entry) => functionOf(entry, tables, naming, options.catalog));
  const grants: Grants = grantsOf(source.tables, tables, inherited);
  const nativeQueries = nativeQueriesOf(
    source,
    new Map(inherited.map(({ role_name: role, role_set: parts }) => [role, parts])),
    naming,
    options.catalog,
  );
  const named = [
    ...grants.roles,
    ...nativeQueries.flatMap(({ roles }) => roles),
    ...functions.flatMap(({ permitted }) => permitted),
  ];
  return {
    roles: [...new Set(named)].sort(),
    tables,
    functions,
    nativeQueries,
    namespace: naming.namespace,
    naming,
    permission: (role, table) => grants.permission(role, table),
    mayCall: (role, called) => {
      if ((options.inferFunctionPermissions ?? true) && !called.volatile) return true;
      return grants.partsOf(role).some((part) => called.permitted.includes(part));
    },
    mayAsk: (role, query) => {
      const rows = query.granted(role);
      const { related } = query;
      const leads =
        related.tables.some((key) => grants.permission(role, key) !== undefined) ||
        nativeQueries.some((other) => related.queries.includes(other.field) && other.granted(role) !== undefined);
      return rows !== undefined && (rows.columns.length > 0 || leads) ? rows : undefined;
    },
  };
}

export type { DeclaredFunction } from "./functions.ts";
export type { DeclaredArgument, DeclaredNativeQuery } from "./native-queries.ts";
export type { DeclaredComputedField, DeclaredRelationship, DeclaredTable } from "./tables.ts";
export type { DeclaredPermission, Filter } from "./permission.ts";
export { type Operation, operations } from "./operations.ts";
export { UnderivableMetadata } from "./underivable.ts";
