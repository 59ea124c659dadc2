/** Conditions and values as data: the form of metadata's filters and a client's `where`, and the input of the SQL printer. */
import type { ComputedField, Relationship, TableColumn, TrackedTable } from "../model.ts";
import { isFallible, type Operator } from "./operators.ts";
import type { Sql } from "./sql.ts";

/** Origin of a parameter's value at execution; values travel as Postgres text. */
export type ParameterSource =
  | { readonly kind: "constant"; readonly text: string | null }
  | { readonly kind: "session"; readonly name: string }
  /** All session variables as one JSON object, for functions with a session argument. */
  | { readonly kind: "session-object" }
  /** A variable of the operation; `encode` checks and converts its value. */
  | { readonly kind: "variable"; readonly name: string; readonly encode: (value: unknown) => string | null };

export interface Parameter {
  readonly source: ParameterSource;
  /** Type of its cast. */
  readonly type: Sql;
  /** Has a position of its own, because its value changes (a stream's cursor). */
  readonly alone?: boolean;
}

/** An argument of a function call; an omitted last argument of the client gets its default. */
export type FunctionArgument =
  | { readonly kind: "parameter"; readonly name: string | undefined; readonly parameter: Parameter }
  | { readonly kind: "row" };

/** `undefined` = visible in every row; else only in rows that match the condition. */
export type Redaction = Condition | undefined;

export type Operand =
  | { readonly kind: "column"; readonly column: TableColumn; readonly redaction: Redaction }
  | {
      readonly kind: "computed";
      readonly field: ComputedField;
      readonly arguments: readonly FunctionArgument[];
      readonly redaction: Redaction;
    }
  | { readonly kind: "text"; readonly operand: Operand }
  | { readonly kind: "cast"; readonly operand: Operand; readonly type: Sql };

export type Value =
  | { readonly kind: "parameter"; readonly parameter: Parameter }
  /** An array with a parameter per element. */
  | { readonly kind: "list"; readonly items: readonly Parameter[]; readonly type: Sql }
  /** Several arguments of an operator that is a function. */
  | { readonly kind: "arguments"; readonly items: readonly Parameter[] }
  /** A column of the current row, or of the row at which the permission's filter starts. */
  | { readonly kind: "column"; readonly column: string; readonly scope: "current" | "root" };

/** A comparison, or a test for NULL. */
export type AggregateComparison =
  | { readonly operator: Operator; readonly value: Value }
  | { readonly negated: boolean };

export interface AggregateCondition {
  readonly function: string;
  /** Arguments of the function; undefined means `*`. */
  readonly columns: readonly Operand[] | undefined;
  readonly filter: Condition;
  readonly comparisons: readonly AggregateComparison[];
}

export type Condition =
  | { readonly kind: "and"; readonly items: readonly Condition[] }
  | { readonly kind: "or"; readonly items: readonly Condition[] }
  | { readonly kind: "not"; readonly item: Condition }
  | { readonly kind: "compare"; readonly operand: Operand; readonly operator: Operator; readonly value: Value }
  | { readonly kind: "is-null"; readonly operand: Operand; readonly negated: boolean }
  /** Neither true nor false, such as a comparison with null. */
  | { readonly kind: "unknown" }
  /** At least one related row that the role may see (`permission`) matches `where`. */
  | {
      readonly kind: "related";
      readonly relationship: Relationship;
      readonly permission: Condition;
      readonly where: Condition;
    }
  | {
      readonly kind: "computed-rows";
      readonly field: ComputedField;
      readonly arguments: readonly FunctionArgument[];
      readonly permission: Condition;
      readonly where: Condition;
    }
  | { readonly kind: "exists"; readonly table: TrackedTable; readonly where: Condition }
  | {
      readonly kind: "aggregate";
      readonly relationship: Relationship;
      readonly permission: Condition;
      readonly aggregate: AggregateCondition;
    }
  /** `item`, or every row when the parameter is null. */
  | { readonly kind: "unless-null"; readonly parameter: Parameter; readonly item: Condition }
  /** `item`, which is not evaluated in rows that the role may not see. */
  | { readonly kind: "guarded"; readonly permission: Condition; readonly item: Condition };

export const always: Condition = { kind: "and", items: [] };
export const never: Condition = { kind: "or", items: [] };

export function isAlways(condition: Condition): boolean {
  return condition.kind === "and" && condition.items.every(isAlways);
}

export function allOf(...conditions: readonly Condition[]): Condition {
  const items = conditions.filter((condition) => !isAlways(condition));
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: "and", items };
}

export function anyOf(...conditions: readonly Condition[]): Condition {
  if (conditions.some(isAlways)) return always;
  const [only] = conditions;
  return conditions.length === 1 && only !== undefined ? only : { kind: "or", items: conditions };
}

/**
 * A client's condition on rows that a filter restricts. Postgres evaluates conditions in any order, so a condition that can raise an error
 * would reveal values of rows that the role may not see. Such conditions are evaluated only after the row's filter. The others stay plain,
 * so that indexes apply.
 */
export function guarded(permission: Condition, condition: Condition): Condition {
  if (isAlways(permission) || !canFail(condition)) return condition;
  if (condition.kind === "and") return { kind: "and", items: condition.items.map((item) => guarded(permission, item)) };
  return { kind: "guarded", permission, item: condition };
}

function canFail(condition: Condition): boolean {
  switch (condition.kind) {
    case "and":
    case "or":
      return condition.items.some(canFail);
    case "not":
    case "unless-null":
      return canFail(condition.item);
    case "compare":
      return isFallible(condition.operator) || isComputed(condition.operand);
    case "is-null":
      return isComputed(condition.operand);
    case "unknown":
      return false;
    case "related":
    case "exists":
      return canFail(condition.where);
    case "aggregate":
      return canFail(condition.aggregate.filter) || (condition.aggregate.columns ?? []).some(isComputed);
    default:
      return true;
  }
}

/** A computed field runs a function of the database's owner, which may have any effect. Some shapes cannot be converted. */
function isComputed(operand: Operand): boolean {
  return operand.kind === "text" ? isComputed(operand.operand) : operand.kind !== "column";
}
