import type { GraphQLInputObjectType } from "graphql";
import { title } from "./model.ts";
import {
  comparableComputed,
  meaning,
  scalarFieldName,
  visibleColumns,
  visibleComputed,
  type InputMeta,
  type ScalarMeta,
  type VisibleTable,
} from "./meta.ts";
import { isComparable, isNumeric } from "./scalars.ts";
import type { InputFields, TypeBook } from "./types.ts";

/** Aggregate functions, the columns that each accepts, and whether its result is always a Float. */
export const aggregateFunctions: readonly {
  readonly name: string;
  readonly takes: "numeric" | "comparable";
  readonly float: boolean;
}[] = [
  { name: "avg", takes: "numeric", float: true },
  { name: "max", takes: "comparable", float: false },
  { name: "min", takes: "comparable", float: false },
  { name: "stddev", takes: "numeric", float: true },
  { name: "stddev_pop", takes: "numeric", float: true },
  { name: "stddev_samp", takes: "numeric", float: true },
  { name: "sum", takes: "numeric", float: false },
  { name: "var_pop", takes: "numeric", float: true },
  { name: "var_samp", takes: "numeric", float: true },
  { name: "variance", takes: "numeric", float: true },
];

/** Columns that an aggregate function accepts for the role. */
function aggregatableColumns(target: VisibleTable, takes: "numeric" | "comparable") {
  const fits = takes === "numeric" ? isNumeric : isComparable;
  return visibleColumns(target).filter(({ column }) => fits(column.type) && column.enumeration === undefined);
}

/** These columns, and computed fields. */
export function aggregatable(target: VisibleTable, takes: "numeric" | "comparable"): readonly ScalarMeta[] {
  const fits = takes === "numeric" ? isNumeric : isComparable;
  return [...aggregatableColumns(target, takes), ...visibleComputed(target).filter(({ type }) => fits(type))];
}

/** `<table>_order_by`. */
export function orderBy(target: VisibleTable, types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  return types.input(
    types.naming.type(table.names, "order_by"),
    `Ordering options when selecting data from ${title(table.catalog)}.`,
    () => {
      const fields: InputFields = {};
      const put = (name: string, type: GraphQLInputObjectType, meta: InputMeta) => {
        fields[name] = { type, ...meaning(meta) };
      };
      for (const scalar of [...visibleColumns(target), ...comparableComputed(target)]) {
        fields[scalarFieldName(scalar)] = { type: types.orderDirection(), ...meaning({ kind: "scalar", scalar }) };
      }
      for (const relationship of table.relationships.values()) {
        const remote = types.visible(relationship.target);
        if (remote === undefined) continue;
        if (relationship.kind === "object")
          put(relationship.name, orderBy(remote, types), { kind: "relationship", relationship, target: remote });
        else {
          const name = types.naming.aggregateOf(relationship.name, "order");
          put(name, aggregateOrderBy(remote, types), { kind: "relationship-aggregate", relationship, target: remote });
        }
      }
      for (const field of table.computedFields.values()) {
        const remote = field.result.kind === "table" ? types.visible(field.result.target) : undefined;
        const needsClient = field.call.arguments.some(({ kind }) => kind === "client");
        if (remote !== undefined && !needsClient) {
          put(types.naming.aggregateOf(field.name, "order"), aggregateOrderBy(remote, types), {
            kind: "computed-aggregate",
            field,
            target: remote,
          });
        }
      }
      return fields;
    },
  );
}

/**
 * `<table>_aggregate_order_by`: order by count, or by an aggregate of a column. As in Hasura it needs no `allow_aggregations`, because the
 * role may list these rows anyway.
 */
function aggregateOrderBy(target: VisibleTable, types: TypeBook): GraphQLInputObjectType {
  const { names, catalog } = target.table;
  const described = `order by aggregate values of table ${title(catalog)}`;
  return types.input(types.naming.type(names, "aggregate_order_by"), described, () => {
    const fields: InputFields = { count: { type: types.orderDirection(), ...meaning({ kind: "count" }) } };
    for (const { name, takes } of aggregateFunctions) {
      const columns = aggregatableColumns(target, takes);
      if (columns.length === 0) continue;
      const type = types.input(
        types.naming.type(names, `${name}_order_by`),
        `order by ${types.naming.field(name)}() on columns of table ${title(catalog)}`,
        () =>
          Object.fromEntries(
            columns.map((scalar) => [
              scalar.column.graphqlName,
              {
                type: types.orderDirection(),
                description: scalar.column.description,
                ...meaning({ kind: "scalar", scalar }),
              },
            ]),
          ),
      );
      fields[types.naming.field(name)] = { type, ...meaning({ kind: "aggregate-function", name }) };
    }
    return fields;
  });
}
