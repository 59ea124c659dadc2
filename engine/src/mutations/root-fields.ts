import { GraphQLInt, GraphQLList, GraphQLNonNull, type GraphQLObjectType } from "graphql";
import { mutationFieldNames, type MutationRootField } from "@routeql/metadata/naming";
import { argument, primaryKeyArguments } from "../schema/arguments.ts";
import { meaning, type MutationKind, visibleColumns, type WriteTarget } from "../schema/meta.ts";
import { description, title } from "../schema/model.ts";
import { tableType } from "../schema/object-types.ts";
import { list, type OutputFields, type TypeBook } from "../schema/types.ts";
import { boolExp } from "../schema/where-types.ts";
import { insertInput, onConflictField, operatorFields } from "./input-types.ts";

/** `<table>_mutation_response`. */
function responseType(target: WriteTarget, types: TypeBook): GraphQLObjectType {
  const { names, catalog } = target.table;
  const described = `response of any mutation on the table ${title(catalog)}`;
  return types.object(types.naming.type(names, "mutation_response"), described, () => ({
    [types.naming.field("affected_rows")]: {
      type: new GraphQLNonNull(GraphQLInt),
      description: "number of rows affected by the mutation",
      ...meaning({ kind: "affected-rows" }),
    },
    ...(types.visible(target.table) === undefined
      ? {}
      : {
          returning: {
            type: list(tableType(target, types)),
            description: "data from the rows affected by the mutation",
            ...meaning({ kind: "returning" }),
          },
        }),
  }));
}

/** The root fields that change a table. `backend_only` permissions count only for a backend. */
export function mutationRootFields(target: WriteTarget, types: TypeBook, isBackend: boolean): OutputFields {
  const { table } = target;
  const { accepts } = table.catalog;
  const titled = title(table.catalog);
  const names = mutationFieldNames(table.metadata, table.names, types.naming);
  const custom = table.metadata.configuration?.custom_root_fields;
  const usable = (permission: { readonly backendOnly: boolean } | undefined): boolean =>
    permission !== undefined && (isBackend || !permission.backendOnly);
  const isVisible = types.visible(table) !== undefined;
  const key = isVisible ? primaryKeyArguments(target, types) : undefined;
  const fields: OutputFields = {};
  const put = (
    field: MutationRootField,
    kind: MutationKind,
    automatic: string,
    rest: Pick<OutputFields[string], "args" | "type">,
  ): void => {
    const described = description(custom?.[field]?.comment, automatic);
    fields[names[field]] = { ...rest, description: described, ...meaning({ kind, target }) };
  };
  const where = (verb: string) => ({
    where: argument(
      new GraphQLNonNull(boolExp(target, types)),
      { kind: "where" },
      `filter the rows which have to be ${verb}`,
    ),
  });
  if (accepts.insert && usable(target.insert)) {
    const row = insertInput(target, types);
    const conflict = onConflictField(target, types);
    put("insert", "insert", `insert data into the table: ${titled}`, {
      type: responseType(target, types),
      args: { ...conflict, objects: argument(list(row), { kind: "objects" }, "the rows to be inserted") },
    });
    if (isVisible) {
      const object = argument(new GraphQLNonNull(row), { kind: "objects" }, "the row to be inserted");
      put("insert_one", "insert-one", `insert a single row into the table: ${titled}`, {
        type: tableType(target, types),
        args: { ...conflict, object },
      });
    }
  }
  if (accepts.update && usable(target.update)) {
    const operators = operatorFields(target, types);
    put("update", "update", `update data of the table: ${titled}`, {
      type: responseType(target, types),
      args: { ...operators, ...where("updated") },
    });
    if (key !== undefined) {
      const described = `primary key columns input for table: ${table.names.field}`;
      const columns = types.input(types.naming.type(table.names, "pk_columns_input"), described, () =>
        Object.fromEntries(
          visibleColumns(target).flatMap(({ column }) => {
            const own = key[column.graphqlName];
            if (own === undefined) return [];
            return [[column.graphqlName, { ...own, ...meaning({ kind: "write-column", column }) }]];
          }),
        ),
      );
      put("update_by_pk", "update-by-pk", `update single row of the table: ${titled}`, {
        type: tableType(target, types),
        args: {
          ...operators,
          [types.naming.field("pk_columns")]: argument(new GraphQLNonNull(columns), { kind: "pk-columns" }),
        },
      });
    }
    const updates = types.input(types.naming.type(table.names, "updates"), undefined, () => ({
      ...operators,
      ...where("updated"),
    }));
    put("update_many", "update-many", `update multiples rows of table: ${titled}`, {
      type: new GraphQLList(responseType(target, types)),
      args: { updates: argument(list(updates), { kind: "updates" }, "updates to execute, in order") },
    });
  }
  // Hasura too decides by whether the view accepts inserts.
  if (accepts.insert && usable(target.delete)) {
    put("delete", "delete", `delete data from the table: ${titled}`, {
      type: responseType(target, types),
      args: where("deleted"),
    });
    if (key !== undefined)
      put("delete_by_pk", "delete-by-pk", `delete single row from the table: ${titled}`, {
        type: tableType(target, types),
        args: key,
      });
  }
  return fields;
}
