import {
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
  type GraphQLInputType,
} from "graphql";
import { meaning, type ArgumentMeta, type VisibleTable } from "./meta.ts";
import { clientArguments, type FunctionCall } from "./model.ts";
import { nullableList, type TypeBook } from "./types.ts";

export const argument = (type: GraphQLInputType, meta: ArgumentMeta, description?: string) => ({
  type,
  description,
  ...meaning(meta),
});

interface ListTypes {
  readonly columns: GraphQLEnumType | undefined;
  readonly orderBy: GraphQLInputObjectType | undefined;
  readonly where: GraphQLInputObjectType;
  /** The role's row limit. */
  readonly rowLimit?: number | undefined;
}

/** Arguments of a list that filter, order and limit its rows, in the order in which Hasura reads them. */
export function listArguments(
  { columns, orderBy: order, where, rowLimit }: ListTypes,
  { naming }: TypeBook,
): GraphQLFieldConfigArgumentMap {
  return {
    where: argument(where, { kind: "where" }, "filter the rows returned"),
    ...(order === undefined
      ? {}
      : {
          [naming.field("order_by")]: argument(
            nullableList(order),
            { kind: "order-by" },
            "sort the rows by one or more columns",
          ),
        }),
    limit: argument(
      GraphQLInt,
      { kind: "limit" },
      `limit the number of rows returned${rowLimit === undefined ? "" : `, at most ${String(rowLimit)} for this role`}`,
    ),
    offset: argument(GraphQLInt, { kind: "offset" }, "skip the first n rows. Use only with order_by"),
    ...(columns === undefined
      ? {}
      : {
          [naming.field("distinct_on")]: argument(
            nullableList(columns),
            { kind: "distinct-on" },
            "distinct select on columns",
          ),
        }),
  };
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
  const described = `input parameters for ${called}`;
  const type = types.input(typeName, undefined, () =>
    Object.fromEntries(
      given.map((client) => [
        client.graphqlName,
        { type: types.value(client.type), ...meaning({ kind: "function-argument", argument: client }) },
      ]),
    ),
  );
  const required = given.some(({ hasDefault }) => !hasDefault);
  return { args: argument(required ? new GraphQLNonNull(type) : type, { kind: "function-arguments" }, described) };
}

/** The columns of the primary key; undefined when the role may not see all of them. */
export function primaryKeyArguments(target: VisibleTable, types: TypeBook) {
  const { table, permission } = target;
  const key = table.catalog.primaryKey;
  if (key === undefined || key.length === 0 || !key.every((column) => permission.columns.has(column))) return undefined;
  return Object.fromEntries(
    key.flatMap((name) => {
      const column = table.columns.get(name);
      if (column === undefined) return [];
      const type = new GraphQLNonNull(types.column(column));
      return [[column.graphqlName, argument(type, { kind: "primary-key", column }, column.description)]];
    }),
  );
}
