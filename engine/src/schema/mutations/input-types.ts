import { GraphQLNonNull, type GraphQLInputObjectType, type GraphQLInputType } from "graphql";
import { graphqlName } from "@routeql/metadata/naming";
import { meaning, typed, type WriteTarget } from "../meta.ts";
import { title, type TableColumn } from "../../model.ts";
import { list, nullableList, type InputFields, type TypeBook } from "../types.ts";
import { boolExp } from "../where-types.ts";
import { updateOperators } from "./operators.ts";

function columnFields(columns: readonly TableColumn[], typeOf: (column: TableColumn) => GraphQLInputType): InputFields {
  return Object.fromEntries(
    columns.map((column) => [
      column.graphqlName,
      typed(typeOf(column), { kind: "write-column", column }, column.description),
    ]),
  );
}

/** `<table>_insert_input`: the columns that the role may set, and related rows that it may insert. */
export function insertInput(target: WriteTarget, types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  const described = `input type for inserting data into table ${title(table.catalog)}`;
  return types.input(types.naming.type(table.names, "insert_input"), described, () => {
    const fields = columnFields(target.insert?.columns ?? [], (column) => types.column(column));
    for (const relationship of table.relationships.values()) {
      const related = types.writable(relationship.target);
      if (related?.insert === undefined) continue;
      const type = relatedInput(related, relationship.kind, types);
      fields[relationship.name] = typed(type, { kind: "insert-related", relationship, target: related });
    }
    return fields;
  });
}

/** `<table>_obj_rel_insert_input` and `<table>_arr_rel_insert_input`. */
function relatedInput(target: WriteTarget, kind: "object" | "array", types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  const suffix = kind === "object" ? "obj_rel_insert_input" : "arr_rel_insert_input";
  const described = `input type for inserting ${kind} relation for remote table ${title(table.catalog)}`;
  return types.input(types.naming.type(table.names, suffix), described, () => {
    const row = insertInput(target, types);
    return {
      data: typed(kind === "object" ? new GraphQLNonNull(row) : list(row), { kind: "data" }),
      ...onConflictField(target, types),
    };
  });
}

/** The `on_conflict` field or argument; none for a table without a unique index. */
export function onConflictField(target: WriteTarget, types: TypeBook) {
  const { naming } = types;
  const { names, catalog } = target.table;
  const constraints = catalog.unique.filter(({ name }) => graphqlName.test(name));
  if (constraints.length === 0) return {};
  const titled = title(catalog);
  const described = `unique or primary key constraints on table ${titled}`;
  const constraint = types.enumeration(naming.type(names, "constraint"), described, () =>
    Object.fromEntries(
      constraints.map(({ name, columns }) => {
        const listed = columns.map((column) => `"${column}"`).join(", ");
        const description = `unique or primary key constraint on columns ${listed}`;
        return [name, { description, ...meaning({ kind: "constraint", name }) }];
      }),
    ),
  );
  const type = types.input(naming.type(names, "on_conflict"), `on_conflict condition type for table ${titled}`, () => ({
    constraint: typed(new GraphQLNonNull(constraint), { kind: "constraint" }),
    [naming.field("update_columns")]: {
      ...typed(list(updateColumns(target, types)), { kind: "update-columns" }),
      defaultValue: [],
    },
    where: typed(boolExp(target, types), { kind: "where" }),
  }));
  return { [naming.field("on_conflict")]: typed(type, { kind: "on-conflict" }, "upsert condition") };
}

/** `<table>_update_column`; a placeholder for a role that may update none. */
function updateColumns(target: WriteTarget, types: TypeBook) {
  const { names, catalog } = target.table;
  const columns = target.update?.columns ?? [];
  const isEmpty = columns.length === 0;
  const described = `${isEmpty ? "placeholder for " : ""}update columns of table ${title(catalog)}${isEmpty ? " (current role has no relevant permissions)" : ""}`;
  return types.enumeration(types.naming.type(names, "update_column"), described, () =>
    isEmpty
      ? { _PLACEHOLDER: { description: "placeholder (do not use)", ...meaning({ kind: "placeholder" }) } }
      : Object.fromEntries(
          columns.map((column) => [
            column.graphqlName,
            { description: "column name", ...meaning({ kind: "update-column", column }) },
          ]),
        ),
  );
}

/** The operators of an update as arguments or input fields, each with the columns it applies to. */
export function operatorFields(target: WriteTarget, types: TypeBook) {
  const { naming } = types;
  const { names, catalog } = target.table;
  return Object.fromEntries(
    updateOperators.flatMap((operator) => {
      const { name, argument, isList = false } = operator;
      const columns = (target.update?.columns ?? []).filter(({ type }) => operator.appliesTo(type));
      if (columns.length === 0) return [];
      const described = operator.typeDescription(title(catalog));
      const type = types.input(naming.type(names, `${name}_input`), described, () => {
        if (argument === undefined) return columnFields(columns, (column) => types.column(column));
        const value = types.value(argument);
        return columnFields(columns, () => (isList ? nullableList(value) : value));
      });
      return [[naming.field(`_${name}`), typed(type, { kind: "update-operator", operator }, operator.description)]];
    }),
  );
}
