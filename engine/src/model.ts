/** The tracked objects of one source, resolved against the catalogue. */
import type { CatalogFunction, CatalogTable, DatabaseType, EnumValue } from "@routeql/metadata/catalog/catalog";
import type { NameBase } from "@routeql/metadata/naming";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { NativeQueryMetadata } from "@routeql/metadata/read/shape-parts";
import type {
  FunctionMetadata,
  QualifiedName,
  SelectPermissionMetadata,
  TableMetadata,
} from "@routeql/metadata/read/shape";

export interface TableColumn {
  readonly name: string;
  readonly graphqlName: string;
  readonly type: DatabaseType;
  readonly nullable: boolean;
  readonly description: string | undefined;
  /** Set when the column refers to an enum table. */
  readonly enumeration: Enumeration | undefined;
}

export interface Enumeration {
  readonly table: TrackedTable;
  readonly typeName: string;
  readonly values: readonly EnumValue[];
  /** Whether clients send and receive the values in capitals, independent of their stored form. */
  readonly inCapitals: boolean;
}

export interface Relationship {
  readonly name: string;
  readonly kind: "object" | "array";
  readonly target: TrackedTable;
  readonly mapping: readonly (readonly [TableColumn, TableColumn])[];
  readonly nullable: boolean;
  /** Whether a nested insert writes the related row after the row itself. */
  readonly isInsertedAfter: boolean;
}

export interface ClientArgument {
  readonly name: string;
  readonly graphqlName: string;
  readonly type: DatabaseType;
  readonly hasDefault: boolean;
}

/** A function call: its arguments in order, each from the client, the row or the session. */
export interface FunctionCall {
  readonly function: CatalogFunction;
  readonly arguments: readonly (
    | { readonly kind: "client"; readonly argument: ClientArgument }
    | { readonly kind: "row" }
    | { readonly kind: "session" }
  )[];
}

export interface ComputedField {
  readonly name: string;
  readonly call: FunctionCall;
  readonly description: string | undefined;
  readonly result:
    | { readonly kind: "scalar"; readonly type: DatabaseType }
    | { readonly kind: "table"; readonly target: TrackedTable };
}

/** Structure of rows, of a table or of a native query. */
export interface RowModel {
  /** Unique among the tables and logical models of a source. */
  readonly key: string;
  readonly columns: ReadonlyMap<string, TableColumn>;
  readonly relationships: ReadonlyMap<string, Relationship>;
  readonly computedFields: ReadonlyMap<string, ComputedField>;
}

export interface TrackedTable extends RowModel {
  readonly catalog: CatalogTable;
  readonly metadata: TableMetadata;
  readonly path: MergedPath;
  readonly names: NameBase;
  readonly description: string | undefined;
  readonly columns: Map<string, TableColumn>;
  readonly relationships: Map<string, Relationship>;
  readonly computedFields: Map<string, ComputedField>;
  readonly nativeRelationships: Map<string, NativeRelationship>;
  enumeration: Enumeration | undefined;
}

export interface LogicalModel extends RowModel {
  readonly name: string;
  readonly description: string | undefined;
  readonly path: MergedPath;
  readonly permissions: readonly SelectPermissionMetadata[];
  /** Fields for relationships of the same name, which a native query with this model must have. */
  readonly references: ReadonlySet<string>;
}

/** Rows that a client can list. */
export type Rows = TrackedTable | LogicalModel;

export function isTable(rows: RowModel): rows is TrackedTable {
  return "catalog" in rows;
}

export interface NativeArgument {
  readonly name: string;
  readonly type: DatabaseType;
  readonly nullable: boolean;
  readonly description: string | undefined;
}

export interface NativeQuery {
  /** Its root field, unaffected by the source's customization. */
  readonly name: string;
  readonly metadata: NativeQueryMetadata;
  readonly path: MergedPath;
  /** SQL with argument placeholders. */
  readonly code: readonly (string | NativeArgument)[];
  readonly arguments: readonly NativeArgument[];
  readonly model: LogicalModel;
  readonly relationships: Map<string, Relationship>;
  readonly nativeRelationships: Map<string, NativeRelationship>;
}

/** Rows of a native query that belong to a row. They can be selected, but rows cannot be filtered or ordered by them. */
export interface NativeRelationship {
  readonly name: string;
  readonly kind: "object" | "array";
  readonly query: NativeQuery;
  /** Pairs of a column of this row and a column of the native query. */
  readonly mapping: readonly (readonly [TableColumn, TableColumn])[];
}

export interface TrackedFunction {
  readonly call: FunctionCall;
  readonly metadata: FunctionMetadata;
  readonly path: MergedPath;
  /** Names of its root fields, without the source's prefix and suffix. */
  readonly fields: { readonly rows: string; readonly aggregate: string };
  readonly argumentsType: string;
  readonly target: TrackedTable;
  readonly returnsSet: boolean;
  readonly exposedAs: "query" | "mutation";
}

export function clientArguments(call: FunctionCall): readonly ClientArgument[] {
  return call.arguments.flatMap((argument) => (argument.kind === "client" ? [argument.argument] : []));
}

/** An empty comment in metadata means no description. */
export function description(explicit: string | null | undefined, automatic: string | undefined): string | undefined {
  if (explicit === null || explicit === undefined) return automatic;
  return explicit === "" ? undefined : explicit;
}

/** A table or function in descriptions: without the schema `public`. */
export const title = (name: QualifiedName): string => `"${plainTitle(name)}"`;

/** The same without quotes. */
export function plainTitle({ schema, name }: QualifiedName): string {
  return schema === "public" ? name : `${schema}.${name}`;
}

/** Reports an object that does not match the database, or a valid one that this engine does not support. */
export type Report = (
  path: MergedPath,
  type: string,
  name: string,
  reason: string,
  kind?: "inconsistent" | "unsupported",
) => void;

const objectTypes: Readonly<Record<string, string>> = {
  tables: "table",
  functions: "function",
  logical_models: "logical_model",
  native_queries: "native_query",
};

/** Hasura's kind of the object at a place of a source. */
export function objectTypeAt(path: MergedPath): string {
  return path.map((part) => objectTypes[part]).find((type) => type !== undefined) ?? "source";
}

/** Reports a problem and returns undefined. */
export type Fail = (reason: string, kind?: "inconsistent" | "unsupported") => undefined;

export function failing(report: Report, path: MergedPath, type: string, name: string): Fail {
  return (reason, kind) => {
    report(path, type, name, reason, kind);
    return undefined;
  };
}
