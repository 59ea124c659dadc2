import { isAlways, type Condition, type Operand } from "./expression.ts";
import { isFallible } from "./operators.ts";

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
    case "related":
    case "exists":
      return canFail(condition.where);
    case "aggregate":
      return canFail(condition.aggregate.filter) || condition.aggregate.columns.some(isComputed);
    default:
      return true;
  }
}

/** A computed field runs a function of the database's owner, which may have any effect. Some shapes cannot be converted. */
function isComputed(operand: Operand): boolean {
  return operand.kind === "text" ? isComputed(operand.operand) : operand.kind !== "column";
}
