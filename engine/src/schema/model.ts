/**
 * The tracked objects of one source, resolved against the catalogue: what metadata names, as things that can be queried.
 * @module
 */
import type { CatalogColumn, CatalogFunction, CatalogTable, DatabaseType, EnumValue } from "../catalog/catalog.ts";
import type { MergedPath } from "../metadata/load.ts";
import type { FunctionMetadata, TableMetadata } from "../metadata/shape.ts";
import type { NameBase } from "./naming.ts";

export interface TableColumn {
  readonly name: string;
  readonly graphqlName: string;
  readonly type: DatabaseType;
  readonly nullable: boolean;
  readonly description: string | undefined;
  /** Set when the column refers to an enum table. */
  readonly enumeration: Enumeration | undefined;
}

/** An enum table's values as a GraphQL enum. */
export interface Enumeration {
  readonly table: TrackedTable;
  readonly typeName: string;
  readonly values: readonly EnumValue[];
}

export interface Relationship {
  readonly name: string;
  readonly kind: "object" | "array";
  readonly target: TrackedTable;
  /** Pairs of this table's and the target's column. */
  readonly mapping: readonly (readonly [TableColumn, TableColumn])[];
  readonly nullable: boolean;
}

/** An argument of a function as a client gives it. */
export interface ClientArgument {
  readonly name: string;
  readonly graphqlName: string;
  readonly type: DatabaseType;
  readonly hasDefault: boolean;
}

/** How to call a function: its arguments in order, each from the client, the row or the session. */
export interface FunctionCall {
  readonly function: CatalogFunction;
  readonly arguments: readonly ({ readonly kind: "client"; readonly argument: ClientArgument } | { readonly kind: "row" } | { readonly kind: "session" })[];
}

export interface ComputedField {
  readonly name: string;
  readonly call: FunctionCall;
  readonly description: string | undefined;
  readonly result: { readonly kind: "scalar"; readonly type: DatabaseType } | { readonly kind: "table"; readonly target: TrackedTable };
}

export interface RootFieldNaming {
  readonly name: string | undefined;
  readonly comment: string | undefined;
}

export interface TrackedTable {
  readonly key: string;
  readonly catalog: CatalogTable;
  readonly metadata: TableMetadata;
  readonly path: MergedPath;
  readonly names: NameBase;
  readonly description: string | undefined;
  readonly columns: Map<string, TableColumn>;
  readonly relationships: Map<string, Relationship>;
  readonly computedFields: Map<string, ComputedField>;
  enumeration: Enumeration | undefined;
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
}

export function clientArguments(call: FunctionCall): readonly ClientArgument[] {
  return call.arguments.flatMap((argument) => (argument.kind === "client" ? [argument.argument] : []));
}

export type { CatalogColumn };
