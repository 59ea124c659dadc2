/** Root fields of a mutation as data: what changes, and what the reply shows of it. */
import type { WriteTarget } from "../../schema/meta.ts";
import type { Relationship, TableColumn } from "../../model.ts";
import type { Condition, Parameter, Value } from "../../sql/expression.ts";
import type { OutputField } from "../../sql/select.ts";
import type { QueryStatement } from "../plan/plan.ts";
import type { UpdateOperator } from "../../schema/mutations/operators.ts";
import type { InsertPermission } from "../../schema/mutations/permissions.ts";

/** A value for a column of a new row. */
export interface Cell {
  readonly column: TableColumn;
  readonly parameter: Parameter;
}

export interface NewRow {
  readonly cells: readonly Cell[];
  readonly related: readonly RelatedInsert[];
}

/** Rows inserted together with the row that they relate to. */
export interface RelatedInsert {
  readonly relationship: Relationship;
  readonly insert: Insert;
}

/** Handling of rows that a unique index rejects. Without columns, they are skipped. */
export interface Conflict {
  readonly constraint: string;
  readonly columns: readonly TableColumn[];
  readonly where: Condition;
}

export interface Insert {
  readonly target: WriteTarget;
  readonly permission: InsertPermission;
  readonly rows: readonly NewRow[];
  readonly conflict: Conflict | undefined;
}

export interface ColumnChange {
  readonly column: TableColumn;
  readonly operator: UpdateOperator | undefined;
  readonly value: Value;
}

export interface Update {
  readonly changes: readonly ColumnChange[];
  readonly where: Condition;
}

/** The reply of a root field: counts and rows, or the one row. */
export type Output =
  | { readonly kind: "row"; readonly fields: readonly OutputField[] }
  | { readonly kind: "rows"; readonly fields: readonly { readonly key: string; readonly value: OutputPart }[] };

export type OutputPart =
  | { readonly kind: "affected" }
  | { readonly kind: "constant"; readonly text: string }
  | { readonly kind: "returning"; readonly fields: readonly OutputField[] };

export type Write =
  | { readonly kind: "insert"; readonly path: string; readonly insert: Insert; readonly output: Output }
  | {
      readonly kind: "update";
      readonly target: WriteTarget;
      /** One, or with `isMany` any number, which run in order. */
      readonly batches: readonly Update[];
      readonly isMany: boolean;
      readonly output: Output;
    }
  | { readonly kind: "delete"; readonly target: WriteTarget; readonly where: Condition; readonly output: Output }
  | { readonly kind: "function"; readonly statement: QueryStatement };
