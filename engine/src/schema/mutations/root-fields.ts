import {
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLObjectType,
  type GraphQLOutputType,
} from "graphql";
import { mutationFieldNames, type MutationRootField } from "@routeql/metadata/naming";
import { primaryKeyArguments } from "../arguments.ts";
import { meaning, typed, type MutationKind, visibleColumns, type WriteTarget } from "../meta.ts";
import { description, plainTitle, title } from "../../model.ts";
import { tableType } from "../object-types.ts";
import { list, type OutputFields, type TypeBook } from "../types.ts";
import { boolExp } from "../where-types.ts";
import { insertInput, onConflictField, operatorFields } from "./input-types.ts";

/** `<table>_mutation_response`. */
function responseType(target: WriteTarget, types: TypeBook): GraphQLObjectType {
  const { names, catalog } = target.table;
  const described = `response of any mutation on the table ${title(catalog)}`;
  return types.object(types.naming.type(names, "mutation_response"), described, () => ({
    [types.naming.field("affected_rows")]: typed(
      new GraphQLNonNull(GraphQLInt),
      { kind: "affected-rows" },
      "number of rows affected by the mutation",
    ),
    ...(types.visible(target.table) && {
      returning: typed(
        list(tableType(target, types)),
        { kind: "returning" },
        "data from the rows affected by the mutation",
      ),
    }),
  }));
}

/** The root fields that change a table. `backend_only` permissions count only for a backend. */
export function mutationRootFields(target: WriteTarget, types: TypeBook, isBackend: boolean): OutputFields {
  const { table } = target;
  const { accepts } = table.catalog;
  const { naming } = types;
  const names = mutationFieldNames(table.metadata, table.names, naming);
  const custom = table.metadata.configuration?.custom_root_fields;
  const usable = (permission: { readonly backendOnly: boolean } | undefined): boolean =>
    permission !== undefined && (isBackend || !permission.backendOnly);
  const isVisible = types.visible(table) !== undefined;
  const key = isVisible ? primaryKeyArguments(target, types) : undefined;
  const fields: OutputFields = {};
  const put = (
    field: MutationRootField,
    kind: MutationKind,
    what: string,
    type: GraphQLOutputType,
    args: GraphQLFieldConfigArgumentMap,
  ): void => {
    const described = description(custom?.[field]?.comment, `${what} table: ${title(table.catalog)}`);
    fields[names[field]] = { ...typed(type, { kind, target }, described), args };
  };
  const where = (verb: string) => ({
    where: typed(
      new GraphQLNonNull(boolExp(target, types)),
      { kind: "where" },
      `filter the rows which have to be ${verb}`,
    ),
  });
  const response = () => responseType(target, types);
  const row = () => tableType(target, types);
  if (accepts.insert && usable(target.insert)) {
    const given = insertInput(target, types);
    const conflict = onConflictField(target, types);
    const objects = typed(list(given), { kind: "objects" }, "the rows to be inserted");
    put("insert", "insert", "insert data into the", response(), { ...conflict, objects });
    const object = typed(new GraphQLNonNull(given), { kind: "objects" }, "the row to be inserted");
    if (isVisible) put("insert_one", "insert-one", "insert a single row into the", row(), { ...conflict, object });
  }
  if (accepts.update && usable(target.update)) {
    const operators = operatorFields(target, types);
    put("update", "update", "update data of the", response(), { ...operators, ...where("updated") });
    if (key !== undefined) {
      const described = `primary key columns input for table: ${plainTitle(table.catalog)}`;
      const columns = types.input(naming.type(table.names, "pk_columns_input"), described, () =>
        Object.fromEntries(
          visibleColumns(target).flatMap(({ column }) => {
            const own = key[column.graphqlName];
            return own === undefined
              ? []
              : [[column.graphqlName, { ...own, ...meaning({ kind: "write-column", column }) }]];
          }),
        ),
      );
      put("update_by_pk", "update-by-pk", "update single row of the", row(), {
        ...operators,
        [naming.field("pk_columns")]: typed(new GraphQLNonNull(columns), { kind: "pk-columns" }),
      });
    }
    const updates = types.input(naming.type(table.names, "updates"), undefined, () => ({
      ...operators,
      ...where("updated"),
    }));
    put("update_many", "update-many", "update multiples rows of", new GraphQLList(response()), {
      updates: typed(list(updates), { kind: "updates" }, "updates to execute, in order"),
    });
  }
  // Hasura too decides by whether the view accepts inserts.
  if (accepts.insert && usable(target.delete)) {
    put("delete", "delete", "delete data from the", response(), where("deleted"));
    if (key !== undefined) put("delete_by_pk", "delete-by-pk", "delete single row from the", row(), key);
  }
  return fields;
}
