/** Database meaning of a role's GraphQL types, stored as their extensions; the planner reads nothing else. */
import type { GraphQLArgument, GraphQLEnumValue, GraphQLField, GraphQLInputField } from "graphql";
import type { Redaction } from "../sql/expression.ts";
import type { Operator } from "../sql/operators.ts";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type {
  ClientArgument,
  ComputedField,
  LogicalModel,
  NativeArgument,
  NativeQuery,
  NativeRelationship,
  Relationship,
  RowModel,
  TableColumn,
  TrackedFunction,
  TrackedTable,
} from "../model.ts";
import type { TablePermission } from "./permissions.ts";
import type { UpdateOperator } from "./mutations/operators.ts";
import type { TableWrites } from "./mutations/permissions.ts";

export interface Visible<Rows extends RowModel> {
  readonly table: Rows;
  readonly permission: TablePermission;
}

export type VisibleTable = Visible<TrackedTable>;
export type VisibleModel = Visible<LogicalModel>;

/** A table that a role may change. Without a select permission, it sees none of the columns. */
export interface WriteTarget extends VisibleTable, TableWrites {}

export type MutationKind =
  | "insert"
  | "insert-one"
  | "update"
  | "update-by-pk"
  | "update-many"
  | "delete"
  | "delete-by-pk";

export type OutputMeta =
  | { readonly kind: MutationKind; readonly target: WriteTarget }
  | { readonly kind: "affected-rows" | "returning" }
  | { readonly kind: "column"; readonly column: TableColumn; readonly redaction: Redaction }
  | {
      readonly kind: "relationship" | "relationship-aggregate";
      readonly relationship: Relationship;
      readonly target: VisibleTable;
    }
  | {
      readonly kind: "computed";
      readonly field: ComputedField;
      readonly redaction: Redaction;
      readonly target: VisibleTable | undefined;
    }
  | { readonly kind: "select" | "select-by-pk" | "select-aggregate" | "select-stream"; readonly target: VisibleTable }
  | {
      readonly kind: "function" | "function-aggregate";
      readonly function: TrackedFunction;
      readonly target: VisibleTable;
    }
  /** A root field, or with a relationship the field of a row. */
  | {
      readonly kind: "native-query";
      readonly query: NativeQuery;
      readonly relationship: NativeRelationship | undefined;
      readonly target: VisibleModel;
    }
  | { readonly kind: "aggregate" | "nodes" | "count" | "aggregate-function" }
  | { readonly kind: "aggregate-column"; readonly name: string; readonly operand: ScalarMeta }
  | { readonly kind: "namespace" }
  | { readonly kind: "constant"; readonly text: string };

/** A scalar of a row that can be compared, ordered and aggregated: a column or a computed field. */
export type ScalarMeta =
  | { readonly kind: "column"; readonly column: TableColumn; readonly redaction: Redaction }
  | {
      readonly kind: "computed";
      readonly field: ComputedField;
      readonly type: DatabaseType;
      readonly redaction: Redaction;
    };

export interface AggregatePredicateMeta {
  readonly function: string;
  readonly target: VisibleTable;
  readonly resultType: DatabaseType;
}

export type InputMeta =
  | { readonly kind: "write-column"; readonly column: TableColumn }
  | { readonly kind: "insert-related"; readonly relationship: Relationship; readonly target: WriteTarget }
  | { readonly kind: "update-operator"; readonly operator: UpdateOperator }
  | { readonly kind: "data" | "on-conflict" | "constraint" | "update-columns" | "where" }
  | { readonly kind: "and" | "or" | "not" }
  | { readonly kind: "scalar"; readonly scalar: ScalarMeta }
  | { readonly kind: "relationship"; readonly relationship: Relationship; readonly target: VisibleTable }
  | { readonly kind: "computed-rows"; readonly field: ComputedField; readonly target: VisibleTable }
  | { readonly kind: "relationship-aggregate"; readonly relationship: Relationship; readonly target: VisibleTable }
  | { readonly kind: "computed-aggregate"; readonly field: ComputedField; readonly target: VisibleTable }
  | { readonly kind: "operator"; readonly operator: Operator }
  | { readonly kind: "is-null" }
  | { readonly kind: "cast" }
  | { readonly kind: "cast-text" }
  | { readonly kind: "cast-to"; readonly type: DatabaseType }
  | { readonly kind: "aggregate-predicate"; readonly predicate: AggregatePredicateMeta }
  | { readonly kind: "count" }
  | { readonly kind: "aggregate-function"; readonly name: string }
  | { readonly kind: "function-argument"; readonly argument: ClientArgument }
  | { readonly kind: "native-argument"; readonly argument: NativeArgument }
  | { readonly kind: "initial-value" | "ordering" }
  | { readonly kind: "from" | "distance" | "use-spheroid" | "band" | "geometry" }
  | {
      readonly kind:
        | "predicate-arguments"
        | "predicate-column"
        | "predicate-distinct"
        | "predicate-filter"
        | "predicate-value";
    };

export type ArgumentMeta =
  | {
      readonly kind:
        | "where"
        | "order-by"
        | "limit"
        | "offset"
        | "distinct-on"
        | "path"
        | "count-columns"
        | "count-distinct"
        | "batch-size"
        | "cursor"
        | "function-arguments"
        | "native-arguments"
        | "objects"
        | "on-conflict"
        | "pk-columns"
        | "updates";
    }
  | { readonly kind: "update-operator"; readonly operator: UpdateOperator }
  | { readonly kind: "primary-key"; readonly column: TableColumn };

export interface OrderDirection {
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export type EnumMeta =
  | { readonly kind: "constraint"; readonly name: string }
  | { readonly kind: "update-column"; readonly column: TableColumn }
  | { readonly kind: "placeholder" }
  | { readonly kind: "column"; readonly scalar: ScalarMeta }
  | { readonly kind: "direction"; readonly direction: OrderDirection };

/** graphql-js types extensions as open records; only these four functions access them. */
interface Extended {
  readonly extensions: Readonly<Record<string, unknown>>;
}

type Meta = OutputMeta | InputMeta | ArgumentMeta | EnumMeta;

function read(from: Extended): unknown {
  const meta = from.extensions["meaning"];
  if (meta === undefined) throw new Error("a type of the schema has no meaning");
  return meta;
}

export function meaning(meta: Meta): { readonly extensions: Readonly<Record<string, unknown>> } {
  return { extensions: { meaning: meta } };
}

/** A field, an argument or an input field. */
export function typed<Type>(type: Type, meta: Meta, description?: string) {
  return { type, description, ...meaning(meta) };
}

export function sourceOf(field: GraphQLField<unknown, unknown>): string {
  return String(field.extensions["source"]);
}

export const outputMeta = (field: GraphQLField<unknown, unknown>): OutputMeta => read(field) as OutputMeta;
export const inputMeta = (field: GraphQLInputField): InputMeta => read(field) as InputMeta;
export const argumentMeta = (argument: GraphQLArgument): ArgumentMeta => read(argument) as ArgumentMeta;
export const enumMeta = (value: GraphQLEnumValue): EnumMeta => read(value) as EnumMeta;

export function scalarType(scalar: ScalarMeta): DatabaseType {
  return scalar.kind === "column" ? scalar.column.type : scalar.type;
}

function scalarFieldName(scalar: ScalarMeta): string {
  return scalar.kind === "column" ? scalar.column.graphqlName : scalar.field.name;
}

/** An entry for each scalar, by the name of its field. */
export function fieldsOf<Scalar extends ScalarMeta, Entry>(
  scalars: readonly Scalar[],
  entry: (scalar: Scalar) => Entry,
): Record<string, Entry> {
  return Object.fromEntries(scalars.map((scalar) => [scalarFieldName(scalar), entry(scalar)]));
}

/** Columns of rows that the role may see, in the order of the table. */
export function visibleColumns({ table, permission }: Visible<RowModel>): readonly (ScalarMeta & { kind: "column" })[] {
  return [...table.columns.values()]
    .filter(({ name }) => permission.columns.has(name))
    .map((column) => ({ kind: "column", column, redaction: permission.columns.get(column.name) }));
}

/** Scalar computed fields, including those with client arguments. */
export function visibleComputed(target: Visible<RowModel>): readonly (ScalarMeta & { kind: "computed" })[] {
  const { computedFields } = target.permission;
  return [...target.table.computedFields.values()].flatMap((field) =>
    field.result.kind === "scalar" && computedFields.has(field.name)
      ? [{ kind: "computed", field, type: field.result.type, redaction: computedFields.get(field.name) } as const]
      : [],
  );
}

/** Scalars by which rows can be filtered and ordered: columns, and computed fields without client arguments. */
export function comparable(target: Visible<RowModel>): readonly ScalarMeta[] {
  return [...visibleColumns(target), ...visibleComputed(target).filter(({ field }) => !hasClientArguments(field))];
}

export function hasClientArguments({ call }: ComputedField): boolean {
  return call.arguments.some(({ kind }) => kind === "client");
}
