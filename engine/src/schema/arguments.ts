import { GraphQLInt, GraphQLNonNull, GraphQLString, type GraphQLFieldConfigArgumentMap } from "graphql";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { typed, type Visible, type VisibleTable } from "./meta.ts";
import { clientArguments, type FunctionCall, isTable, type Rows } from "../model.ts";
import { orderBy } from "./order-types.ts";
import { isJson } from "./scalars.ts";
import { nullableList, type TypeBook } from "./types.ts";
import { boolExp, selectColumns } from "./where-types.ts";

export const where = (target: Visible<Rows>, types: TypeBook) =>
  typed(boolExp(target, types), { kind: "where" }, "filter the rows returned");

/** Arguments of every list of rows: they filter, order and limit them, in the order in which Hasura reads them. */
export function rowArguments(target: Visible<Rows>, types: TypeBook): GraphQLFieldConfigArgumentMap {
  const { naming } = types;
  const { limit } = target.permission;
  const columns = selectColumns(target, types);
  const order = isTable(target.table) || columns !== undefined ? nullableList(orderBy(target, types)) : undefined;
  return {
    where: where(target, types),
    ...(order && {
      [naming.field("order_by")]: typed(order, { kind: "order-by" }, "sort the rows by one or more columns"),
    }),
    limit: typed(
      GraphQLInt,
      { kind: "limit" },
      `limit the number of rows returned${limit === undefined ? "" : `, at most ${String(limit)} for this role`}`,
    ),
    offset: typed(GraphQLInt, { kind: "offset" }, "skip the first n rows. Use only with order_by"),
    ...(columns && {
      [naming.field("distinct_on")]: typed(
        nullableList(columns),
        { kind: "distinct-on" },
        "distinct select on columns",
      ),
    }),
  };
}

export function pathArgument(type: DatabaseType): GraphQLFieldConfigArgumentMap {
  return isJson(type) ? { path: typed(GraphQLString, { kind: "path" }, "JSON select path") } : {};
}

/** The `args` argument of a function; required if any of its arguments has no default. */
export function functionArguments(
  call: FunctionCall,
  typeName: string,
  called: string,
  types: TypeBook,
): GraphQLFieldConfigArgumentMap {
  const given = clientArguments(call);
  if (given.length === 0) return {};
  const type = types.input(typeName, undefined, () =>
    Object.fromEntries(
      given.map((client) => [
        client.graphqlName,
        typed(types.value(client.type), { kind: "function-argument", argument: client }),
      ]),
    ),
  );
  const required = given.some(({ hasDefault }) => !hasDefault);
  const described = `input parameters for ${called}`;
  return { args: typed(required ? new GraphQLNonNull(type) : type, { kind: "function-arguments" }, described) };
}

/** The columns of the primary key; undefined when the role may not see all of them. */
export function primaryKeyArguments(target: VisibleTable, types: TypeBook) {
  const { table, permission } = target;
  const key = table.catalog.primaryKey ?? [];
  if (key.length === 0 || !key.every((column) => permission.columns.has(column))) return undefined;
  return Object.fromEntries(
    key.flatMap((name) => {
      const column = table.columns.get(name);
      if (column === undefined) return [];
      const type = new GraphQLNonNull(types.column(column));
      return [[column.graphqlName, typed(type, { kind: "primary-key", column }, column.description)]];
    }),
  );
}
