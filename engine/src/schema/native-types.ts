import { GraphQLNonNull, type GraphQLFieldConfigArgumentMap } from "graphql";
import type { Naming } from "@routeql/metadata/naming";
import { typed, visibleColumns, type VisibleModel } from "./meta.ts";
import { isTable, type LogicalModel, type NativeQuery, type Rows } from "../model.ts";
import type { TypeBook } from "./types.ts";

/** Type name of a native query's rows: the query's own name if they have more fields than the logical model. */
export function rowTypeName({ name, model, metadata }: NativeQuery): string {
  return metadata.object_relationships.length + metadata.array_relationships.length > 0 ? name : model.name;
}

/** Type name of a native query's arguments, after the field that has them. */
export const argumentsTypeName = (field: string): string => `${field}_arguments`;

/** Type names for filtering and ordering rows of a logical model; the doubled `_bool_exp` is Hasura's. */
export function inputTypeNames({ name }: Pick<LogicalModel, "name">, { naming }: { readonly naming: Naming }) {
  const of = (suffix: string): string => naming.affixed(naming.suffixed(name, suffix));
  return { select_column: `${name}_enum_name`, bool_exp: of("bool_exp_bool_exp"), order_by: of("order_by") };
}

export function inputTypeName(rows: Rows, kind: keyof ReturnType<typeof inputTypeNames>, naming: Naming): string {
  return isTable(rows) ? naming.type(rows.names, kind) : inputTypeNames(rows, { naming })[kind];
}

/** Whether the role may see any field of the rows. */
export function hasRows(query: NativeQuery, target: VisibleModel, types: TypeBook): boolean {
  const related = [
    ...[...query.relationships.values()].map(({ target: table }) => table),
    ...[...query.nativeRelationships.values()].map(({ query: other }) => other.model),
  ];
  return visibleColumns(target).length > 0 || related.some((rows) => types.visible(rows) !== undefined);
}

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
        return [own.name, typed(type, { kind: "native-argument", argument: own }, described)];
      }),
    ),
  );
  return { args: typed(new GraphQLNonNull(type), { kind: "native-arguments" }, description) };
}
