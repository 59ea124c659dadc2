/** The granted permissions of the metadata, derived independently of the engine, so that the two can be compared. */
import type { Catalog, DatabaseType } from "@routeql/metadata/catalog/catalog";
import { functionFields, Naming } from "@routeql/metadata/naming";
import type { FunctionMetadata, Metadata, QualifiedName } from "@routeql/metadata/read/shape";
import { type Grants, grantsOf } from "./grants.ts";
import { type DeclaredNativeQuery, nativeQueriesOf } from "./native-queries.ts";
import { type DeclaredPermission, underivable } from "./permission.ts";
import { type DeclaredTable, keyOf, tableOf } from "./tables.ts";
import { type DeclaredWrite, writesOf } from "./writes.ts";

/** The granted permissions, from the metadata and the catalogue of the database. */
export interface DeclaredAccess {
  readonly roles: readonly string[];
  readonly tables: ReadonlyMap<string, DeclaredTable>;
  readonly functions: readonly DeclaredFunction[];
  readonly nativeQueries: readonly DeclaredNativeQuery[];
  readonly writes: readonly DeclaredWrite[];
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

/** Derives the permissions of every role. @throws UnderivableMetadata for several sources, and where a catalogue is missing */
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
  const writes = writesOf(source.tables, tables, inherited);
  const named = [
    ...grants.roles,
    ...writes.map(({ role }) => role),
    ...nativeQueries.flatMap(({ roles }) => roles),
    ...functions.flatMap(({ permitted }) => permitted),
  ];
  return {
    roles: [...new Set(named)].sort(),
    tables,
    functions,
    nativeQueries,
    writes,
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

/** A tracked function that returns rows of a tracked table. */
export interface DeclaredFunction extends QualifiedName {
  readonly field: string;
  readonly aggregateField: string;
  /** Key of the table whose rows it returns. */
  readonly target: string;
  readonly returnsSet: boolean;
  readonly volatile: boolean;
  readonly exposedAs: "query" | "mutation";
  /** Arguments of clients, by their GraphQL names. */
  readonly arguments: readonly { readonly field: string; readonly type: DatabaseType; readonly hasDefault: boolean }[];
  /** Arguments of clients without a name in the database. */
  readonly unnamed: ReadonlySet<string>;
  /** The argument that receives the session variables. */
  readonly session: { readonly name: string; readonly type: DatabaseType } | undefined;
  /** Roles with an explicit permission. */
  readonly permitted: readonly string[];
}

/** @throws UnderivableMetadata without a catalogue */
export function functionOf(
  { function: name, configuration, permissions }: FunctionMetadata,
  tables: ReadonlyMap<string, DeclaredTable>,
  naming: Naming,
  catalog: Catalog | undefined,
): DeclaredFunction {
  const found = catalog?.functions.get(keyOf(name))?.[0];
  if (found?.returnTable === undefined || !tables.has(keyOf(found.returnTable)))
    underivable(`the function ${keyOf(name)} returns a type that needs a database`);
  const fields = functionFields({ function: name, configuration }, naming);
  const session = found.arguments.find(({ name: own }) => own !== undefined && own === configuration?.session_argument);
  const unnamed = new Set<string>();
  const given = found.arguments
    .filter((argument) => argument !== session)
    .map(({ name: own, type, hasDefault }) => {
      const field = own ?? `arg_${unnamed.size + 1}`;
      if (own === undefined) unnamed.add(field);
      return { field, type, hasDefault };
    });
  const volatile = found.volatility === "volatile";
  return {
    ...name,
    field: naming.rootField(fields.rows),
    aggregateField: naming.rootField(fields.aggregate),
    target: keyOf(found.returnTable),
    returnsSet: found.returnsSet,
    volatile,
    exposedAs: configuration?.exposed_as ?? (volatile ? "mutation" : "query"),
    arguments: given,
    unnamed,
    session: session?.name === undefined ? undefined : { name: session.name, type: session.type },
    permitted: permissions.map(({ role }) => role),
  };
}

export type { DeclaredArgument, DeclaredNativeQuery } from "./native-queries.ts";
export type { DeclaredComputedField, DeclaredRelationship, DeclaredTable } from "./tables.ts";
export { type DeclaredPermission, type Filter, type Operation, operations, UnderivableMetadata } from "./permission.ts";
