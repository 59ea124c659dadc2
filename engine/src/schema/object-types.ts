import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLNonNull,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLObjectType,
} from "graphql";
import { functionArguments, pathArgument, rowArguments } from "./arguments.ts";
import {
  fieldsOf,
  scalarType,
  typed,
  visibleColumns,
  type ScalarMeta,
  type Visible,
  type VisibleModel,
  type VisibleTable,
} from "./meta.ts";
import {
  type ComputedField,
  type NativeQuery,
  type NativeRelationship,
  type Relationship,
  type Rows,
  title,
} from "../model.ts";
import { hasRows, queryArguments, rowTypeName } from "./native-types.ts";
import { aggregatable, aggregateFunctions } from "./order-types.ts";
import { list, nullableList, type OutputFields, type TypeBook } from "./types.ts";
import { selectColumns } from "./where-types.ts";

function columnFields(target: Visible<Rows>, types: TypeBook): OutputFields {
  return fieldsOf(visibleColumns(target), ({ column, redaction }) => {
    const type = types.column(column);
    const shown = column.nullable || redaction !== undefined ? type : new GraphQLNonNull(type);
    return {
      ...typed(shown, { kind: "column", column, redaction }, column.description),
      args: pathArgument(column.type),
    };
  });
}

/** Fields of a row with rows of tables, and with `aggregates` also their aggregates. */
function relationshipFields(
  relationships: Iterable<Relationship>,
  types: TypeBook,
  { aggregates }: { readonly aggregates: boolean },
): OutputFields {
  const fields: OutputFields = {};
  for (const related of types.related(relationships)) {
    const { relationship, target } = related;
    const { name } = relationship;
    const type = tableType(target, types);
    const meta = { kind: "relationship", ...related } as const;
    if (relationship.kind === "object") {
      fields[name] = typed(relationship.nullable ? type : new GraphQLNonNull(type), meta, "An object relationship");
      continue;
    }
    const args = rowArguments(target, types);
    fields[name] = { ...typed(list(type), meta, "An array relationship"), args };
    if (aggregates && target.permission.allowAggregations) {
      const aggregate = new GraphQLNonNull(aggregateType(target, types));
      const aggregateMeta = { kind: "relationship-aggregate", ...related } as const;
      fields[types.naming.aggregateOf(name, "field")] = {
        ...typed(aggregate, aggregateMeta, "An aggregate relationship"),
        args,
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
    const { name, description, result } = field;
    const args = computedFieldArguments(owner, field, types);
    if (result.kind === "scalar") {
      if (!permission.computedFields.has(name)) continue;
      const redaction = permission.computedFields.get(name);
      const meta = { kind: "computed", field, redaction, target: undefined } as const;
      fields[name] = {
        ...typed(types.value(result.type), meta, description),
        args: { ...args, ...pathArgument(result.type) },
      };
      continue;
    }
    const target = types.visible(result.target);
    if (target === undefined) continue;
    const meta = { kind: "computed", field, redaction: undefined, target } as const;
    fields[name] = {
      ...typed(nullableList(tableType(target, types)), meta, description),
      args: { ...args, ...rowArguments(target, types) },
    };
  }
  return fields;
}

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
  const { naming } = types;
  const { names } = target.table;
  const columns = selectColumns(target, types);
  const fields: OutputFields = {
    count: {
      ...typed(new GraphQLNonNull(GraphQLInt), { kind: "count" }),
      args: {
        distinct: typed(GraphQLBoolean, { kind: "count-distinct" }),
        ...(columns && { columns: typed(nullableList(columns), { kind: "count-columns" }) }),
      },
    },
  };
  for (const { name, takes, float } of aggregateFunctions) {
    const scalars = aggregatable(target, takes);
    if (scalars.length === 0) continue;
    // In Hasura, the aggregate of a computed field has the type and the arguments of the field itself.
    const aggregate = (operand: ScalarMeta) => {
      const isColumn = operand.kind === "column";
      const type = float && isColumn ? GraphQLFloat : types.value(scalarType(operand));
      const { description } = isColumn ? operand.column : operand.field;
      const args = isColumn ? {} : computedFieldArguments(target, operand.field, types);
      return { ...typed(type, { kind: "aggregate-column", name, operand }, description), args };
    };
    const described = `aggregate ${naming.field(name)} on columns`;
    const type = types.object(naming.type(names, `${name}_fields`), described, () => fieldsOf(scalars, aggregate));
    fields[naming.field(name)] = typed(type, { kind: "aggregate-function" });
  }
  return fields;
}

/** `<table>_aggregate`. */
export function aggregateType(target: VisibleTable, types: TypeBook): GraphQLObjectType {
  const { names, catalog } = target.table;
  return types.object(types.naming.type(names, "aggregate"), `aggregated selection of ${title(catalog)}`, () => ({
    aggregate: typed(
      types.object(types.naming.type(names, "aggregate_fields"), `aggregate fields of ${title(catalog)}`, () =>
        aggregateFields(target, types),
      ),
      { kind: "aggregate" },
    ),
    nodes: typed(list(tableType(target, types)), { kind: "nodes" }),
  }));
}

function nativeRowType(query: NativeQuery, target: VisibleModel, types: TypeBook): GraphQLObjectType {
  return types.object(rowTypeName(query), target.table.description, () => ({
    ...columnFields(target, types),
    ...relationshipFields(query.relationships.values(), types, { aggregates: false }),
    ...nativeRelationshipFields(query.nativeRelationships.values(), types),
  }));
}

/** The root field, if the role may see the rows. */
export function nativeQueryField(query: NativeQuery, types: TypeBook): OutputFields {
  const { name, metadata } = query;
  const target = types.visible(query.model);
  if (target === undefined || !hasRows(query, target, types)) return {};
  const meta = { kind: "native-query", query, relationship: undefined, target } as const;
  const type = list(nativeRowType(query, target, types));
  const args = { ...queryArguments(query, name, types), ...rowArguments(target, types) };
  return { [name]: { ...typed(type, meta, metadata.description ?? undefined), args } };
}

function nativeRelationshipFields(relationships: Iterable<NativeRelationship>, types: TypeBook): OutputFields {
  const fields: OutputFields = {};
  for (const relationship of relationships) {
    const { name, kind, query } = relationship;
    const target = types.visible(query.model);
    if (target === undefined || !hasRows(query, target, types)) continue;
    const row = nativeRowType(query, target, types);
    const args = queryArguments(query, name, types);
    const meta = { kind: "native-query", query, relationship, target } as const;
    fields[name] =
      kind === "object"
        ? { ...typed(row, meta, "An object relationship"), args }
        : {
            ...typed(nullableList(row), meta, "An array relationship"),
            args: { ...args, ...rowArguments(target, types) },
          };
  }
  return fields;
}
