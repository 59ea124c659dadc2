import { impliedArguments } from "../schema/filters.ts";
import { enumMeta, inputMeta, type OrderDirection } from "../schema/meta.ts";
import type { OrderItem, OrderValue, RowSource } from "../sql/select.ts";
import type { Condition, Operand } from "../sql/expression.ts";
import { invalid } from "./invalid.ts";
import type { Input } from "./input.ts";
import { entriesOf, operandOf } from "./where.ts";

function directionOf(input: Input): OrderDirection | undefined {
  if (input.kind === "null") return undefined;
  const meta = input.kind === "enum" ? enumMeta(input.value) : undefined;
  if (meta?.kind !== "direction") throw invalid("an ordering is expected", input.path);
  return meta.direction;
}

type Wrap = (value: OrderValue) => OrderValue;

function aggregateItems(source: RowSource, permission: Condition, input: Input, wrap: Wrap): readonly OrderItem[] {
  if (input.kind === "null") return [];
  if (input.kind !== "object") throw invalid("expected an object", input.path);
  const item = (name: string, operand: Operand | undefined, value: Input): readonly OrderItem[] => {
    const direction = directionOf(value);
    return direction === undefined
      ? []
      : [{ ...direction, value: wrap({ kind: "aggregate", source, permission, function: name, operand }) }];
  };
  return input.entries.flatMap(({ field, value }): readonly OrderItem[] => {
    const meta = inputMeta(field);
    if (meta.kind === "count") return item("count", undefined, value);
    if (meta.kind !== "aggregate-function") throw invalid("an aggregate is expected", value.path);
    return entriesOf(value).flatMap((entry) => {
      const inner = inputMeta(entry.field);
      if (inner.kind !== "scalar") throw invalid("a column is expected", entry.value.path);
      return item(meta.name, operandOf(inner.scalar), entry.value);
    });
  });
}

function items(input: Input, wrap: Wrap): readonly OrderItem[] {
  if (input.kind === "null") return [];
  if (input.kind === "list") return input.items.flatMap((item) => items(item, wrap));
  if (input.kind !== "object") throw invalid("expected an object", input.path);
  return input.entries.flatMap(({ field, value }): readonly OrderItem[] => {
    const meta = inputMeta(field);
    switch (meta.kind) {
      case "scalar": {
        const direction = directionOf(value);
        return direction === undefined
          ? []
          : [{ ...direction, value: wrap({ kind: "operand", operand: operandOf(meta.scalar) }) }];
      }
      case "relationship": {
        const { relationship, target } = meta;
        return items(value, (inner) =>
          wrap({ kind: "related", relationship, permission: target.permission.filter, value: inner }),
        );
      }
      case "relationship-aggregate":
        return aggregateItems(
          { kind: "related", relationship: meta.relationship },
          meta.target.permission.filter,
          value,
          wrap,
        );
      case "computed-aggregate":
        return aggregateItems(
          { kind: "computed", field: meta.field, arguments: impliedArguments(meta.field) },
          meta.target.permission.filter,
          value,
          wrap,
        );
      default:
        throw invalid("this cannot be ordered by", value.path);
    }
  });
}

/**
 * Converts a checked `order_by` argument to the order. Null means no order there, except for the columns of an aggregate, where it is
 * rejected as in Hasura.
 */
export function readOrder(input: Input): readonly OrderItem[] {
  return items(input, (value) => value);
}
