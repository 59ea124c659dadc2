import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLEnumType,
  type GraphQLEnumValueConfigMap,
  type GraphQLInputType,
} from "graphql";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import {
  castable,
  equalityOperators,
  operatorsOf,
  siblingType,
  textOperators,
  type Operator,
} from "../sql/operators.ts";
import { type Enumeration, title } from "./model.ts";
import {
  comparableComputed,
  meaning,
  scalarFieldName,
  visibleColumns,
  type InputMeta,
  type ScalarMeta,
  type VisibleTable,
} from "./meta.ts";
import { booleanType, floatType, integerType, scalarName, textType } from "./scalars.ts";
import { nullableList, type InputFields, type TypeBook } from "./types.ts";

const input = (type: GraphQLInputType, meta: InputMeta, description?: string) => ({
  type,
  description,
  ...meaning(meta),
});

/** `st_d_within_input` and `st_d_within_geography_input`. */
function distanceInput(type: DatabaseType, types: TypeBook): GraphQLInputType {
  const isGeography = type.name === "geography";
  return types.input(isGeography ? "st_d_within_geography_input" : "st_d_within_input", undefined, () => ({
    distance: input(new GraphQLNonNull(GraphQLFloat), { kind: "distance" }),
    from: input(new GraphQLNonNull(types.scalar(type)), { kind: "from" }),
    ...(isGeography
      ? { use_spheroid: { ...input(GraphQLBoolean, { kind: "use-spheroid" }), defaultValue: true } }
      : {}),
  }));
}

/** `st_intersects_nband_geom_input`, and `st_intersects_geom_nband_input`, in which the band is optional. */
function bandInput(
  argument: "band-and-geometry" | "geometry-and-band",
  type: DatabaseType,
  types: TypeBook,
): GraphQLInputType {
  const bandFirst = argument === "band-and-geometry";
  return types.input(
    bandFirst ? "st_intersects_nband_geom_input" : "st_intersects_geom_nband_input",
    undefined,
    () => ({
      nband: input(bandFirst ? new GraphQLNonNull(GraphQLInt) : GraphQLInt, { kind: "band" }),
      geommin: input(new GraphQLNonNull(types.scalar(siblingType(type, "geometry"))), { kind: "geometry" }),
    }),
  );
}

function operatorInput(operator: Operator, type: DatabaseType, types: TypeBook): GraphQLInputType {
  switch (operator.argument) {
    case "same":
      return types.value(type);
    case "list":
      return nullableList(types.value(type));
    case "distance":
      return distanceInput(type, types);
    case "band-and-geometry":
    case "geometry-and-band":
      return bandInput(operator.argument, type, types);
    case "ltree-list":
      return nullableList(types.scalar(type));
    case "text":
      return GraphQLString;
    case "text-list":
    case "lquery-list":
      return nullableList(GraphQLString);
    default:
      return types.scalar({ name: operator.argument, sql: operator.argument, kind: "base" });
  }
}

function operatorFields(
  operators: readonly Operator[],
  argument: (operator: Operator) => GraphQLInputType,
  types: TypeBook,
): InputFields {
  const fields: InputFields = {};
  for (const operator of operators) {
    const { name, description } = operator;
    fields[types.naming.field(name)] = input(argument(operator), { kind: "operator", operator }, description);
  }
  fields[types.naming.field("_is_null")] = input(GraphQLBoolean, { kind: "is-null" });
  return fields;
}

function castFields(type: DatabaseType, types: TypeBook): InputFields {
  const name = types.naming.scalarType(scalarName(type), "cast_exp");
  const cast = types.input(name, undefined, () => {
    if (type.name !== "geometry" && type.name !== "geography")
      return { String: input(comparison(textType, types), { kind: "cast-text" }) };
    const other = siblingType(type, type.name === "geometry" ? "geography" : "geometry");
    return { [other.name]: input(comparison(other, types), { kind: "cast-to", type: other }) };
  });
  return { _cast: input(cast, { kind: "cast" }) };
}

/** `<Scalar>_comparison_exp`, or `<Scalar>_array_comparison_exp` for arrays. */
function comparison(type: DatabaseType, types: TypeBook): GraphQLInputObjectType {
  const { element } = type;
  const name = element === undefined ? scalarName(type) : `${scalarName(element)}_array`;
  const isText = element === undefined && scalarName(type) === "String";
  const operators = isText ? textOperators : operatorsOf(type);
  return types.input(
    types.naming.scalarType(name, "comparison_exp"),
    `Boolean expression to compare columns of type "${element === undefined ? name : scalarName(element)}". All fields are combined with logical 'AND'.`,
    () => ({
      ...operatorFields(operators, (operator) => operatorInput(operator, type, types), types),
      ...(castable.has(type.name) ? castFields(type, types) : {}),
    }),
  );
}

function enumComparison(enumeration: Enumeration, types: TypeBook): GraphQLInputObjectType {
  const value: GraphQLEnumType = types.enumTable(enumeration);
  return types.input(
    types.naming.scalarType(value.name, "comparison_exp"),
    `Boolean expression to compare columns of type "${value.name}". All fields are combined with logical 'AND'.`,
    () =>
      operatorFields(
        equalityOperators,
        (operator) => (operator.argument === "list" ? nullableList(value) : value),
        types,
      ),
  );
}

/** The comparison type of a column or computed field. */
export function scalarComparison(scalar: ScalarMeta, types: TypeBook): GraphQLInputObjectType {
  if (scalar.kind === "computed") return comparison(scalar.type, types);
  return scalar.column.enumeration === undefined
    ? comparison(scalar.column.type, types)
    : enumComparison(scalar.column.enumeration, types);
}

/** The values of an enum of columns. */
export function columnValues(columns: ReturnType<typeof visibleColumns>): GraphQLEnumValueConfigMap {
  const value = (scalar: ScalarMeta) => ({ description: "column name", ...meaning({ kind: "column", scalar }) });
  return Object.fromEntries(columns.map((scalar) => [scalar.column.graphqlName, value(scalar)]));
}

/** Enum of the columns of one type, for the arguments of an aggregate predicate. */
function argumentColumns(
  target: VisibleTable,
  predicate: string,
  type: DatabaseType,
  types: TypeBook,
): GraphQLEnumType | undefined {
  const columns = visibleColumns(target).filter(({ column }) => column.type.name === type.name);
  if (columns.length === 0) return undefined;
  const { names } = target.table;
  return types.enumeration(
    types.naming.predicateColumns(names, predicate),
    `select "${types.naming.predicateColumnsTitle(names, predicate)}" columns of table ${title(target.table.catalog)}`,
    () => columnValues(columns),
  );
}

function aggregatePredicates(target: VisibleTable, types: TypeBook): GraphQLInputObjectType {
  const { names } = target.table;
  const predicate = (
    name: string,
    columns: GraphQLInputType | undefined,
    argumentType: DatabaseType | undefined,
    resultType: DatabaseType,
  ) =>
    input(
      types.input(types.own(types.naming.aggregatePredicate(names, name)), undefined, () => ({
        ...(columns === undefined ? {} : { arguments: input(columns, { kind: "predicate-arguments" }) }),
        distinct: input(GraphQLBoolean, { kind: "predicate-distinct" }),
        filter: input(boolExp(target, types), { kind: "predicate-filter" }),
        predicate: input(new GraphQLNonNull(comparison(resultType, types)), { kind: "predicate-value" }),
      })),
      { kind: "aggregate-predicate", predicate: { function: name, target, argumentType, resultType } },
    );
  return types.input(types.own(types.naming.aggregatePredicates(names)), undefined, () => {
    const all = selectColumns(target, types);
    const fields: InputFields = {
      count: predicate("count", all === undefined ? undefined : nullableList(all), undefined, integerType),
    };
    const typed = (name: string, type: DatabaseType, result: DatabaseType) => {
      const columns = argumentColumns(target, name, type, types);
      if (columns !== undefined) fields[name] = predicate(name, new GraphQLNonNull(columns), type, result);
    };
    for (const name of ["bool_and", "bool_or"]) typed(name, booleanType, booleanType);
    for (const name of ["corr", "covar_samp"]) {
      const columns = argumentColumns(target, name, floatType, types);
      if (columns === undefined) continue;
      const column = { type: new GraphQLNonNull(columns), ...meaning({ kind: "predicate-column" }) };
      const both = types.input(types.own(types.naming.predicateArguments(names, name)), undefined, () => ({
        X: column,
        Y: column,
      }));
      fields[name] = predicate(name, new GraphQLNonNull(both), floatType, floatType);
    }
    for (const name of ["avg", "max", "min", "stddev_samp", "sum", "var_samp"]) typed(name, floatType, floatType);
    return fields;
  });
}

/** `<table>_select_column`; undefined when the role may see no column. */
export function selectColumns(target: VisibleTable, types: TypeBook): GraphQLEnumType | undefined {
  const columns = visibleColumns(target);
  if (columns.length === 0) return undefined;
  return types.enumeration(
    types.naming.type(target.table.names, "select_column"),
    `select columns of table ${title(target.table.catalog)}`,
    () => columnValues(columns),
  );
}

/** The boolean connectives `_and`, `_or` and `_not`. */
export function connectives(self: GraphQLInputObjectType): InputFields {
  return {
    _and: input(nullableList(self), { kind: "and" }),
    _or: input(nullableList(self), { kind: "or" }),
    _not: input(self, { kind: "not" }),
  };
}

/** `<table>_bool_exp`: filters only by fields that the role may see. */
export function boolExp(target: VisibleTable, types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  const description = `Boolean expression to filter rows from the table ${title(table.catalog)}. All fields are combined with a logical 'AND'.`;
  const self: GraphQLInputObjectType = types.input(types.naming.type(table.names, "bool_exp"), description, () => {
    const fields: InputFields = connectives(self);
    for (const scalar of [...visibleColumns(target), ...comparableComputed(target)]) {
      fields[scalarFieldName(scalar)] = input(scalarComparison(scalar, types), { kind: "scalar", scalar });
    }
    for (const field of table.computedFields.values()) {
      const remote = field.result.kind === "table" ? types.visible(field.result.target) : undefined;
      const needsClient = field.call.arguments.some(({ kind }) => kind === "client");
      if (remote !== undefined && !needsClient)
        fields[field.name] = input(boolExp(remote, types), { kind: "computed-rows", field, target: remote });
    }
    for (const relationship of table.relationships.values()) {
      const remote = types.visible(relationship.target);
      if (remote === undefined) continue;
      fields[relationship.name] = input(boolExp(remote, types), { kind: "relationship", relationship, target: remote });
      if (
        relationship.kind === "array" &&
        remote.permission.allowAggregations &&
        !types.options.hideAggregationPredicates
      ) {
        fields[types.naming.aggregateOf(relationship.name, "filter")] = input(aggregatePredicates(remote, types), {
          kind: "relationship-aggregate",
          relationship,
          target: remote,
        });
      }
    }
    return fields;
  });
  return self;
}
