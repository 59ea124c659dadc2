import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLString,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLObjectType,
} from "graphql";
import { argument, functionArguments, listArguments } from "./arguments.ts";
import {
  type ComputedField,
  type LogicalModel,
  type NativeQuery,
  type NativeRelationship,
  type Relationship,
  type RowModel,
  title,
} from "./model.ts";
import {
  meaning,
  scalarFieldName,
  scalarType,
  visibleColumns,
  type OutputMeta,
  type Visible,
  type VisibleModel,
  type VisibleTable,
} from "./meta.ts";
import { hasRows, nativeRowArguments, queryArguments, rowTypeName } from "./native-types.ts";
import { aggregatable, aggregateFunctions, orderBy } from "./order-types.ts";
import { isJson } from "./scalars.ts";
import { list, nullableList, type OutputFields, type TypeBook } from "./types.ts";
import { boolExp, selectColumns } from "./where-types.ts";

/** Arguments of every list of a table's rows. */
export function rowArguments(target: VisibleTable, types: TypeBook): GraphQLFieldConfigArgumentMap {
  const rowLimit = target.permission.limit;
  return listArguments(
    { columns: selectColumns(target, types), orderBy: orderBy(target, types), where: boolExp(target, types), rowLimit },
    types,
  );
}

/** The column fields of a row. */
function columnFields(target: Visible<RowModel>, types: TypeBook): OutputFields {
  const fields: OutputFields = {};
  for (const { column, redaction } of visibleColumns(target)) {
    const type = types.column(column);
    fields[column.graphqlName] = {
      type: column.nullable || redaction !== undefined ? type : new GraphQLNonNull(type),
      description: column.description,
      args: isJson(column.type) ? { path: argument(GraphQLString, { kind: "path" }, "JSON select path") } : {},
      ...meaning({ kind: "column", column, redaction }),
    };
  }
  return fields;
}

/** Fields of a row with rows of tables, and with `aggregates` also their aggregates. */
function relationshipFields(
  relationships: Iterable<Relationship>,
  types: TypeBook,
  { aggregates }: { readonly aggregates: boolean },
): OutputFields {
  const fields: OutputFields = {};
  for (const relationship of relationships) {
    const target = types.visible(relationship.target);
    if (target === undefined) continue;
    const type = tableType(target, types);
    const meta: OutputMeta = { kind: "relationship", relationship, target };
    if (relationship.kind === "object") {
      fields[relationship.name] = {
        type: relationship.nullable ? type : new GraphQLNonNull(type),
        description: "An object relationship",
        ...meaning(meta),
      };
      continue;
    }
    const args = rowArguments(target, types);
    fields[relationship.name] = { type: list(type), description: "An array relationship", args, ...meaning(meta) };
    if (aggregates && target.permission.allowAggregations) {
      fields[types.naming.aggregateOf(relationship.name, "field")] = {
        type: new GraphQLNonNull(aggregateType(target, types)),
        description: "An aggregate relationship",
        args,
        ...meaning({ kind: "relationship-aggregate", relationship, target }),
      };
    }
  }
  return fields;
}

function computedFieldArguments(
  { table }: VisibleTable,
  { name, call }: ComputedField,
  types: TypeBook,
): GraphQLFieldConfigArgumentMap {
  const typeName = types.naming.computedFieldArguments(name, table.names);
  return functionArguments(call, typeName, `computed field "${name}" defined on table ${title(table.catalog)}`, types);
}

function computedFields(owner: VisibleTable, types: TypeBook): OutputFields {
  const { table, permission } = owner;
  const fields: OutputFields = {};
  for (const field of table.computedFields.values()) {
    const args = computedFieldArguments(owner, field, types);
    if (field.result.kind === "scalar") {
      if (!permission.computedFields.has(field.name)) continue;
      const { type } = field.result;
      fields[field.name] = {
        type: types.value(type),
        description: field.description,
        args: isJson(type) ? { ...args, path: argument(GraphQLString, { kind: "path" }, "JSON select path") } : args,
        ...meaning({
          kind: "computed",
          field,
          redaction: permission.computedFields.get(field.name),
          target: undefined,
        }),
      };
      continue;
    }
    const target = types.visible(field.result.target);
    if (target === undefined) continue;
    fields[field.name] = {
      type: nullableList(tableType(target, types)),
      description: field.description,
      args: { ...args, ...rowArguments(target, types) },
      ...meaning({ kind: "computed", field, redaction: undefined, target }),
    };
  }
  return fields;
}

/** The object type of a table's rows. */
export function tableType(target: VisibleTable, types: TypeBook): GraphQLObjectType {
  const { table } = target;
  return types.object(types.naming.type(table.names), table.description, () => ({
    ...columnFields(target, types),
    ...relationshipFields(table.relationships.values(), types, { aggregates: true }),
    ...nativeRelationshipFields(table.nativeRelationships.values(), types),
    ...computedFields(target, types),
  }));
}

function aggregateFields(target: VisibleTable, types: TypeBook): OutputFields {
  const { names } = target.table;
  const columns = selectColumns(target, types);
  const fields: OutputFields = {
    count: {
      type: new GraphQLNonNull(GraphQLInt),
      args: {
        distinct: argument(GraphQLBoolean, { kind: "count-distinct" }),
        ...(columns === undefined ? {} : { columns: argument(nullableList(columns), { kind: "count-columns" }) }),
      },
      ...meaning({ kind: "count", target }),
    },
  };
  for (const { name, takes, float } of aggregateFunctions) {
    const scalars = aggregatable(target, takes);
    if (scalars.length === 0) continue;
    const type = types.object(
      types.naming.type(names, `${name}_fields`),
      `aggregate ${types.naming.field(name)} on columns`,
      () =>
        Object.fromEntries(
          scalars.map((scalar) => [
            scalarFieldName(scalar),
            {
              // In Hasura, the aggregate of a computed field has the type and the arguments of the field itself.
              type: float && scalar.kind === "column" ? GraphQLFloat : types.value(scalarType(scalar)),
              description: scalar.kind === "column" ? scalar.column.description : scalar.field.description,
              args: scalar.kind === "column" ? {} : computedFieldArguments(target, scalar.field, types),
              ...meaning({ kind: "aggregate-column", name, operand: scalar }),
            },
          ]),
        ),
    );
    fields[types.naming.field(name)] = { type, ...meaning({ kind: "aggregate-function", name, target }) };
  }
  return fields;
}

/** `<table>_aggregate`. */
export function aggregateType(target: VisibleTable, types: TypeBook): GraphQLObjectType {
  const { names, catalog } = target.table;
  return types.object(types.naming.type(names, "aggregate"), `aggregated selection of ${title(catalog)}`, () => ({
    aggregate: {
      type: types.object(types.naming.type(names, "aggregate_fields"), `aggregate fields of ${title(catalog)}`, () =>
        aggregateFields(target, types),
      ),
      ...meaning({ kind: "aggregate", target }),
    },
    nodes: { type: list(tableType(target, types)), ...meaning({ kind: "nodes", target }) },
  }));
}

/** The object type of a native query's rows. */
function nativeRowType(query: NativeQuery, target: VisibleModel, types: TypeBook): GraphQLObjectType {
  return types.object(rowTypeName(query), target.table.description, () => ({
    ...columnFields(target, types),
    ...relationshipFields(query.relationships.values(), types, { aggregates: false }),
    ...nativeRelationshipFields(query.nativeRelationships.values(), types),
  }));
}

/** The root field, if the role may see the rows. */
export function nativeQueryField(query: NativeQuery, types: TypeBook): OutputFields {
  const target: Visible<LogicalModel> | undefined = types.visible(query.model);
  if (target === undefined || !hasRows(query, target, types)) return {};
  return {
    [query.name]: {
      type: list(nativeRowType(query, target, types)),
      description: query.metadata.description ?? undefined,
      args: { ...queryArguments(query, query.name, types), ...nativeRowArguments(target, types) },
      ...meaning({ kind: "native-query", query, relationship: undefined, target }),
    },
  };
}

/** Fields with rows of related native queries. */
function nativeRelationshipFields(relationships: Iterable<NativeRelationship>, types: TypeBook): OutputFields {
  const fields: OutputFields = {};
  for (const relationship of relationships) {
    const { name, kind, query } = relationship;
    const target = types.visible(query.model);
    if (target === undefined || !hasRows(query, target, types)) continue;
    const type = nativeRowType(query, target, types);
    const args = queryArguments(query, name, types);
    const meta = meaning({ kind: "native-query", query, relationship, target });
    fields[name] =
      kind === "object"
        ? { type, description: "An object relationship", args, ...meta }
        : {
            type: nullableList(type),
            description: "An array relationship",
            args: { ...args, ...nativeRowArguments(target, types) },
            ...meta,
          };
  }
  return fields;
}
