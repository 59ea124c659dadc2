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
import {
  comparable,
  fieldsOf,
  meaning,
  typed,
  visibleColumns,
  type ScalarMeta,
  type Visible,
  type VisibleTable,
} from "./meta.ts";
import { type Enumeration, isTable, type Rows, title } from "../model.ts";
import { inputTypeName } from "./native-types.ts";
import { booleanType, floatType, integerType, scalarName, textType } from "./scalars.ts";
import { nullableList, type InputFields, type TypeBook } from "./types.ts";

/** `st_d_within_input` and `st_d_within_geography_input`. */
function distanceInput(type: DatabaseType, types: TypeBook): GraphQLInputType {
  const isGeography = type.name === "geography";
  return types.input(isGeography ? "st_d_within_geography_input" : "st_d_within_input", undefined, () => ({
    distance: typed(new GraphQLNonNull(GraphQLFloat), { kind: "distance" }),
    from: typed(new GraphQLNonNull(types.scalar(type)), { kind: "from" }),
    ...(isGeography && { use_spheroid: { ...typed(GraphQLBoolean, { kind: "use-spheroid" }), defaultValue: true } }),
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
      nband: typed(bandFirst ? new GraphQLNonNull(GraphQLInt) : GraphQLInt, { kind: "band" }),
      geommin: typed(new GraphQLNonNull(types.scalar(siblingType(type, "geometry"))), { kind: "geometry" }),
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
    fields[types.naming.field(name)] = typed(argument(operator), { kind: "operator", operator }, description);
  }
  fields[types.naming.field("_is_null")] = typed(GraphQLBoolean, { kind: "is-null" });
  return fields;
}

function castFields(type: DatabaseType, types: TypeBook): InputFields {
  const name = types.naming.scalarType(scalarName(type), "cast_exp");
  const cast = types.input(name, undefined, () => {
    if (type.name !== "geometry" && type.name !== "geography")
      return { String: typed(comparison(textType, types), { kind: "cast-text" }) };
    const other = siblingType(type, type.name === "geometry" ? "geography" : "geometry");
    return { [other.name]: typed(comparison(other, types), { kind: "cast-to", type: other }) };
  });
  return { _cast: typed(cast, { kind: "cast" }) };
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

function scalarComparison(scalar: ScalarMeta, types: TypeBook): GraphQLInputObjectType {
  if (scalar.kind === "computed") return comparison(scalar.type, types);
  return scalar.column.enumeration === undefined
    ? comparison(scalar.column.type, types)
    : enumComparison(scalar.column.enumeration, types);
}

function columnValues(columns: readonly ScalarMeta[]): GraphQLEnumValueConfigMap {
  return fieldsOf(columns, (scalar) => ({ description: "column name", ...meaning({ kind: "column", scalar }) }));
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
  const predicate = (name: string, columns: GraphQLInputType, resultType: DatabaseType) =>
    typed(
      types.input(types.own(types.naming.aggregatePredicate(names, name)), undefined, () => ({
        arguments: typed(columns, { kind: "predicate-arguments" }),
        distinct: typed(GraphQLBoolean, { kind: "predicate-distinct" }),
        filter: typed(boolExp(target, types), { kind: "predicate-filter" }),
        predicate: typed(new GraphQLNonNull(comparison(resultType, types)), { kind: "predicate-value" }),
      })),
      { kind: "aggregate-predicate", predicate: { function: name, target, resultType } },
    );
  return types.input(types.own(types.naming.aggregatePredicates(names)), undefined, () => {
    const fields: InputFields = { count: predicate("count", nullableList(selectColumns(target, types)!), integerType) };
    const onColumns = (name: string, type: DatabaseType, result: DatabaseType) => {
      const columns = argumentColumns(target, name, type, types);
      if (columns !== undefined) fields[name] = predicate(name, new GraphQLNonNull(columns), result);
    };
    for (const name of ["bool_and", "bool_or"]) onColumns(name, booleanType, booleanType);
    for (const name of ["corr", "covar_samp"]) {
      const columns = argumentColumns(target, name, floatType, types);
      if (columns === undefined) continue;
      const column = typed(new GraphQLNonNull(columns), { kind: "predicate-column" });
      const both = types.input(types.own(types.naming.predicateArguments(names, name)), undefined, () => ({
        X: column,
        Y: column,
      }));
      fields[name] = predicate(name, new GraphQLNonNull(both), floatType);
    }
    for (const name of ["avg", "max", "min", "stddev_samp", "sum", "var_samp"]) onColumns(name, floatType, floatType);
    return fields;
  });
}

/** `<table>_select_column`; undefined when the role may see no column. */
export function selectColumns(target: Visible<Rows>, types: TypeBook): GraphQLEnumType | undefined {
  const rows = target.table;
  const columns = visibleColumns(target);
  if (columns.length === 0) return undefined;
  const described = isTable(rows) ? `select columns of table ${title(rows.catalog)}` : undefined;
  return types.enumeration(inputTypeName(rows, "select_column", types.naming), described, () => columnValues(columns));
}

/** `<table>_bool_exp`: filters only by fields that the role may see. */
export function boolExp(target: Visible<Rows>, types: TypeBook): GraphQLInputObjectType {
  const rows = target.table;
  const from = isTable(rows) ? `the table ${title(rows.catalog)}` : `the logical model for "${rows.name}"`;
  const described = `Boolean expression to filter rows from ${from}. All fields are combined with a logical 'AND'.`;
  const name = inputTypeName(rows, "bool_exp", types.naming);
  const self: GraphQLInputObjectType = types.input(name, described, () => {
    const fields: InputFields = {
      _and: typed(nullableList(self), { kind: "and" }),
      _or: typed(nullableList(self), { kind: "or" }),
      _not: typed(self, { kind: "not" }),
      ...fieldsOf(comparable(target), (scalar) => typed(scalarComparison(scalar, types), { kind: "scalar", scalar })),
    };
    // As in Hasura, the type of a role without a select permission, which is for its changes, has only aggregates of related rows.
    const isVisible = !isTable(rows) || types.visible(rows) !== undefined;
    for (const computed of isVisible ? types.computedRows(rows) : [])
      fields[computed.field.name] = typed(boolExp(computed.target, types), { kind: "computed-rows", ...computed });
    for (const related of types.related(rows.relationships.values())) {
      const { relationship, target: remote } = related;
      if (isVisible) fields[relationship.name] = typed(boolExp(remote, types), { kind: "relationship", ...related });
      const hasAggregates = relationship.kind === "array" && remote.permission.allowAggregations;
      // Every predicate needs columns for its arguments, which its type lists.
      if (hasAggregates && visibleColumns(remote).length > 0 && !types.options.hideAggregationPredicates)
        fields[types.naming.aggregateOf(relationship.name, "filter")] = typed(aggregatePredicates(remote, types), {
          kind: "relationship-aggregate",
          ...related,
        });
    }
    return fields;
  });
  return self;
}
