import { GraphQLNonNull, type GraphQLInputObjectType } from "graphql";
import { meaning, type InputMeta, type WriteTarget } from "../schema/meta.ts";
import { graphqlName } from "@routeql/metadata/naming";
import { title, type TableColumn } from "../schema/model.ts";
import { list, nullableList, type InputFields, type TypeBook } from "../schema/types.ts";
import { boolExp } from "../schema/where-types.ts";
import { type UpdateOperator, updateOperators } from "./operators.ts";

function columnFields(columns: readonly TableColumn[], types: TypeBook): InputFields {
  return Object.fromEntries(
    columns.map((column) => [
      column.graphqlName,
      { type: types.column(column), description: column.description, ...meaning({ kind: "write-column", column }) },
    ]),
  );
}

/** `<table>_insert_input`: the columns that the role may set, and related rows that it may insert. */
export function insertInput(target: WriteTarget, types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  const description = `input type for inserting data into table ${title(table.catalog)}`;
  return types.input(types.naming.type(table.names, "insert_input"), description, () => {
    const fields = columnFields(target.insert?.columns ?? [], types);
    for (const relationship of table.relationships.values()) {
      const related = types.writable(relationship.target);
      if (related?.insert === undefined) continue;
      const meta: InputMeta = { kind: "insert-related", relationship, target: related };
      fields[relationship.name] = { type: relatedInput(related, relationship.kind, types), ...meaning(meta) };
    }
    return fields;
  });
}

/** `<table>_obj_rel_insert_input` and `<table>_arr_rel_insert_input`. */
function relatedInput(target: WriteTarget, kind: "object" | "array", types: TypeBook): GraphQLInputObjectType {
  const { table } = target;
  const suffix = kind === "object" ? "obj_rel_insert_input" : "arr_rel_insert_input";
  const description = `input type for inserting ${kind} relation for remote table ${title(table.catalog)}`;
  return types.input(types.naming.type(table.names, suffix), description, () => {
    const row = insertInput(target, types);
    return {
      data: { type: kind === "object" ? new GraphQLNonNull(row) : list(row), ...meaning({ kind: "data" }) },
      ...onConflictField(target, types),
    };
  });
}

/** The `on_conflict` field or argument; none for a table without a unique index. */
export function onConflictField(target: WriteTarget, types: TypeBook) {
  const type = onConflictInput(target, types);
  if (type === undefined) return {};
  return {
    [types.naming.field("on_conflict")]: { type, description: "upsert condition", ...meaning({ kind: "on-conflict" }) },
  };
}

function onConflictInput(target: WriteTarget, types: TypeBook): GraphQLInputObjectType | undefined {
  const { names, catalog } = target.table;
  const constraints = catalog.unique.filter(({ name }) => graphqlName.test(name));
  if (constraints.length === 0) return undefined;
  const titled = title(catalog);
  const constraint = types.enumeration(
    types.naming.type(names, "constraint"),
    `unique or primary key constraints on table ${titled}`,
    () =>
      Object.fromEntries(
        constraints.map(({ name, columns }) => {
          const description = `unique or primary key constraint on columns ${columns.map((column) => `"${column}"`).join(", ")}`;
          return [name, { description, ...meaning({ kind: "constraint", name }) }];
        }),
      ),
  );
  return types.input(types.naming.type(names, "on_conflict"), `on_conflict condition type for table ${titled}`, () => ({
    constraint: { type: new GraphQLNonNull(constraint), ...meaning({ kind: "constraint" }) },
    [types.naming.field("update_columns")]: {
      type: list(updateColumns(target, types)),
      defaultValue: [],
      ...meaning({ kind: "update-columns" }),
    },
    where: { type: boolExp(target, types), ...meaning({ kind: "where" }) },
  }));
}

/** `<table>_update_column`; a placeholder for a role that may update none. */
function updateColumns(target: WriteTarget, types: TypeBook) {
  const { names, catalog } = target.table;
  const columns = target.update?.columns ?? [];
  const titled = title(catalog);
  const name = types.naming.type(names, "update_column");
  if (columns.length === 0) {
    const why = `placeholder for update columns of table ${titled} (current role has no relevant permissions)`;
    return types.enumeration(name, why, () => ({
      _PLACEHOLDER: { description: "placeholder (do not use)", ...meaning({ kind: "placeholder" }) },
    }));
  }
  return types.enumeration(name, `update columns of table ${titled}`, () =>
    Object.fromEntries(
      columns.map((column) => [
        column.graphqlName,
        { description: "column name", ...meaning({ kind: "update-column", column }) },
      ]),
    ),
  );
}

/** The operators of an update as arguments or input fields, each with the columns it applies to. */
export function operatorFields(target: WriteTarget, types: TypeBook) {
  const { names, catalog } = target.table;
  return Object.fromEntries(
    updateOperators.flatMap((operator) => {
      const columns = (target.update?.columns ?? []).filter(({ type }) => operator.appliesTo(type));
      if (columns.length === 0) return [];
      const type = types.input(
        types.naming.type(names, `${operator.name}_input`),
        operator.typeDescription(title(catalog)),
        () => operatorColumns(operator, columns, types),
      );
      const field = { type, description: operator.description, ...meaning({ kind: "update-operator", operator }) };
      return [[types.naming.field(`_${operator.name}`), field]];
    }),
  );
}

function operatorColumns(
  { argument, isList }: UpdateOperator,
  columns: readonly TableColumn[],
  types: TypeBook,
): InputFields {
  const fields = columnFields(columns, types);
  if (argument === undefined) return fields;
  const type = isList === true ? nullableList(types.value(argument)) : types.value(argument);
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, { ...field, type }]));
}
