import {
  GraphQLNonNull,
  type GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputObjectType,
} from "graphql";
import { argument, listArguments } from "./arguments.ts";
import { meaning, visibleColumns, type VisibleModel } from "./meta.ts";
import type { LogicalModel, NativeQuery } from "./model.ts";
import type { TypeBook } from "./types.ts";
import { columnValues, connectives, scalarComparison } from "./where-types.ts";

/** Type name of a native query's rows: the query's own name if they have more fields than the logical model. */
export function rowTypeName({ name, model, metadata }: NativeQuery): string {
  return metadata.object_relationships.length + metadata.array_relationships.length > 0 ? name : model.name;
}

/** Type name of a native query's arguments, after the field that has them. */
export const argumentsTypeName = (field: string): string => `${field}_arguments`;

/** Type names for filtering and ordering rows of a logical model; the doubled `_bool_exp` is Hasura's. */
export function inputTypeNames({ name }: Pick<LogicalModel, "name">, { naming }: Pick<TypeBook, "naming">) {
  const of = (suffix: string): string => naming.affixed(naming.suffixed(name, suffix));
  return { columns: `${name}_enum_name`, boolExp: of("bool_exp_bool_exp"), orderBy: of("order_by") };
}

/** Whether the role may see any field of the rows. */
export function hasRows(query: NativeQuery, target: VisibleModel, types: TypeBook): boolean {
  const related = [
    ...[...query.relationships.values()].map(({ target: table }) => table),
    ...[...query.nativeRelationships.values()].map(({ query: other }) => other.model),
  ];
  return visibleColumns(target).length > 0 || related.some((rows) => types.visible(rows) !== undefined);
}

function boolExp(target: VisibleModel, types: TypeBook): GraphQLInputObjectType {
  const { table: model } = target;
  const description = `Boolean expression to filter rows from the logical model for "${model.name}". All fields are combined with a logical 'AND'.`;
  const self: GraphQLInputObjectType = types.input(inputTypeNames(model, types).boolExp, description, () => ({
    ...connectives(self),
    ...Object.fromEntries(
      visibleColumns(target).map((scalar) => [
        scalar.column.graphqlName,
        { type: scalarComparison(scalar, types), ...meaning({ kind: "scalar", scalar }) },
      ]),
    ),
  }));
  return self;
}

function orderBy(target: VisibleModel, types: TypeBook): GraphQLInputObjectType {
  const { table: model } = target;
  return types.input(
    inputTypeNames(model, types).orderBy,
    `Ordering options when selecting data from "${model.name}".`,
    () =>
      Object.fromEntries(
        visibleColumns(target).map((scalar) => [
          scalar.column.graphqlName,
          { type: types.orderDirection(), ...meaning({ kind: "scalar", scalar }) },
        ]),
      ),
  );
}

function columnEnum(target: VisibleModel, types: TypeBook): GraphQLEnumType {
  const { columns } = inputTypeNames(target.table, types);
  return types.enumeration(columns, undefined, () => columnValues(visibleColumns(target)));
}

/** Arguments of every list of rows of a logical model. */
export function nativeRowArguments(target: VisibleModel, types: TypeBook): GraphQLFieldConfigArgumentMap {
  const hasColumns = visibleColumns(target).length > 0;
  return listArguments(
    {
      columns: hasColumns ? columnEnum(target, types) : undefined,
      orderBy: hasColumns ? orderBy(target, types) : undefined,
      where: boolExp(target, types),
    },
    types,
  );
}

/** The `args` argument. */
export function queryArguments(
  { arguments: declared }: NativeQuery,
  field: string,
  types: TypeBook,
): GraphQLFieldConfigArgumentMap {
  if (declared.length === 0) return {};
  const description = `${field}Native Query Arguments`;
  const type = types.input(argumentsTypeName(field), description, () =>
    Object.fromEntries(
      declared.map((own) => {
        const type = own.nullable ? types.value(own.type) : new GraphQLNonNull(types.value(own.type));
        const described = own.description ?? `Native Query argument ${own.name}`;
        return [own.name, { type, description: described, ...meaning({ kind: "native-argument", argument: own }) }];
      }),
    ),
  );
  return { args: argument(new GraphQLNonNull(type), { kind: "native-arguments" }, description) };
}
