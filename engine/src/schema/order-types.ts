import type { GraphQLInputObjectType } from "graphql";
import {
  comparable,
  fieldsOf,
  typed,
  visibleColumns,
  visibleComputed,
  type ScalarMeta,
  type Visible,
  type VisibleTable,
} from "./meta.ts";
import { isTable, type Rows, title } from "../model.ts";
import { inputTypeName } from "./native-types.ts";
import { isComparable, isNumeric } from "./scalars.ts";
import type { InputFields, TypeBook } from "./types.ts";

interface AggregateFunction {
  readonly name: string;
  readonly takes: "numeric" | "comparable";
  /** Whether its result is always a Float. */
  readonly float: boolean;
}

export const aggregateFunctions: readonly AggregateFunction[] = [
  { name: "avg", takes: "numeric", float: true },
  { name: "max", takes: "comparable", float: false },
  { name: "min", takes: "comparable", float: false },
  ...["stddev", "stddev_pop", "stddev_samp"].map((name) => ({ name, takes: "numeric", float: true }) as const),
  { name: "sum", takes: "numeric", float: false },
  ...["var_pop", "var_samp", "variance"].map((name) => ({ name, takes: "numeric", float: true }) as const),
];

function aggregatableColumns(target: VisibleTable, takes: AggregateFunction["takes"]) {
  const fits = takes === "numeric" ? isNumeric : isComparable;
  return visibleColumns(target).filter(({ column }) => fits(column.type) && column.enumeration === undefined);
}

/** These columns, and computed fields. */
export function aggregatable(target: VisibleTable, takes: AggregateFunction["takes"]): readonly ScalarMeta[] {
  const fits = takes === "numeric" ? isNumeric : isComparable;
  return [...aggregatableColumns(target, takes), ...visibleComputed(target).filter(({ type }) => fits(type))];
}

/** `<table>_order_by`. */
export function orderBy(target: Visible<Rows>, types: TypeBook): GraphQLInputObjectType {
  const rows = target.table;
  const { naming } = types;
  const titled = isTable(rows) ? title(rows.catalog) : `"${rows.name}"`;
  const described = `Ordering options when selecting data from ${titled}.`;
  return types.input(inputTypeName(rows, "order_by", naming), described, () => {
    const fields: InputFields = fieldsOf(comparable(target), (scalar) =>
      typed(types.orderDirection(), { kind: "scalar", scalar }),
    );
    for (const { relationship, target: remote } of types.related(rows.relationships.values())) {
      const meta = { relationship, target: remote };
      if (relationship.kind === "object")
        fields[relationship.name] = typed(orderBy(remote, types), { kind: "relationship", ...meta });
      else
        fields[naming.aggregateOf(relationship.name, "order")] = typed(aggregateOrderBy(remote, types), {
          kind: "relationship-aggregate",
          ...meta,
        });
    }
    for (const computed of types.computedRows(rows))
      fields[naming.aggregateOf(computed.field.name, "order")] = typed(aggregateOrderBy(computed.target, types), {
        kind: "computed-aggregate",
        ...computed,
      });
    return fields;
  });
}

/** `<table>_aggregate_order_by`. As in Hasura it needs no `allow_aggregations`, because the role may list these rows anyway. */
function aggregateOrderBy(target: VisibleTable, types: TypeBook): GraphQLInputObjectType {
  const { names, catalog } = target.table;
  const { naming } = types;
  const described = `order by aggregate values of table ${title(catalog)}`;
  return types.input(naming.type(names, "aggregate_order_by"), described, () => {
    const fields: InputFields = { count: typed(types.orderDirection(), { kind: "count" }) };
    for (const { name, takes } of aggregateFunctions) {
      const columns = aggregatableColumns(target, takes);
      if (columns.length === 0) continue;
      const type = types.input(
        naming.type(names, `${name}_order_by`),
        `order by ${naming.field(name)}() on columns of table ${title(catalog)}`,
        () =>
          fieldsOf(columns, (scalar) =>
            typed(types.orderDirection(), { kind: "scalar", scalar }, scalar.column.description),
          ),
      );
      fields[naming.field(name)] = typed(type, { kind: "aggregate-function", name });
    }
    return fields;
  });
}
