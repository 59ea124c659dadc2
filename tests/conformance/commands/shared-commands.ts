import { z } from "zod";
import { cascade, command, comment, object, present, refusal, type Command, type Json } from "./change.ts";
import { itemAt, listAt, withItem, without, withValue } from "./places.ts";

const collections = ["query_collections"];
const allowList = ["allowlist"];

/** Place of a query collection. @throws EngineError `not-exists` */
function collectionAt(metadata: Json, name: string, path?: string): (string | number)[] {
  const found = itemAt(metadata, collections, "name", name);
  if (found === undefined) throw refusal("not-exists", `query collection with name "${name}" does not exist`, path);
  return [...found];
}

const query = z.strictObject({ name: z.string().min(1), query: z.string() });

function twice(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** Commands for objects that all sources share: query collections, the allow list, inherited roles, introspection. */
export const sharedCommands: Readonly<Record<string, Command>> = {
  create_query_collection: command(
    z.strictObject({ name: z.string(), comment, definition: z.strictObject({ queries: z.array(query) }) }),
    (metadata, args) => {
      const exists = itemAt(metadata, collections, "name", args.name) !== undefined;
      if (exists)
        throw refusal("already-exists", `query collection with name "${args.name}" already exists`, "$.args.name");
      const names = twice(args.definition.queries.map(({ name }) => name));
      if (names.length > 0)
        throw refusal(
          "not-supported",
          `found duplicate query names ${names.map((name) => `"${name}"`).join(", ")}`,
          "$.args.definition.queries",
        );
      return withItem(metadata, collections, present(args));
    },
  ),

  rename_query_collection: command(
    z.strictObject({ name: z.string(), new_name: z.string() }),
    (metadata, { name, new_name: next }) => {
      const path = collectionAt(metadata, name);
      if (itemAt(metadata, collections, "name", next) !== undefined)
        throw refusal("already-exists", `query collection with name "${next}" already exists`, "$.args.new_name");
      const listed = itemAt(metadata, allowList, "collection", name);
      const renamed = withValue(metadata, [...path, "name"], next);
      return listed === undefined ? renamed : withValue(renamed, [...listed, "collection"], next);
    },
  ),

  drop_query_collection: command(
    z.strictObject({ collection: z.string(), cascade }),
    (metadata, { collection, cascade: cascades }) => {
      const path = collectionAt(metadata, collection, "$.args.collection");
      const listed = itemAt(metadata, allowList, "collection", collection);
      if (listed !== undefined && !cascades) {
        throw refusal(
          "dependency-error",
          `query collection with name "${collection}" is present in the allowlist; cannot proceed to drop`,
          "$.args.collection",
        );
      }
      return without(listed === undefined ? metadata : without(metadata, listed), path);
    },
  ),

  add_query_to_collection: command(
    z.strictObject({ collection_name: z.string(), query_name: z.string().min(1), query: z.string() }),
    (metadata, args) => {
      const path = collectionAt(metadata, args.collection_name);
      const list = [...path, "definition", "queries"];
      if (itemAt(metadata, list, "name", args.query_name) !== undefined) {
        throw refusal(
          "already-exists",
          `query with name "${args.query_name}" already exists in collection "${args.collection_name}"`,
        );
      }
      return withItem(metadata, list, { name: args.query_name, query: args.query });
    },
  ),

  drop_query_from_collection: command(
    z.strictObject({ collection_name: z.string(), query_name: z.string() }),
    (metadata, args) => {
      const path = itemAt(
        metadata,
        [...collectionAt(metadata, args.collection_name), "definition", "queries"],
        "name",
        args.query_name,
      );
      if (path === undefined)
        throw refusal(
          "not-found",
          `query with name "${args.query_name}" not found in collection "${args.collection_name}"`,
        );
      return without(metadata, path);
    },
  ),

  add_collection_to_allowlist: command(
    z.strictObject({ collection: z.string(), scope: object.nullish() }),
    (metadata, args) => {
      collectionAt(metadata, args.collection, "$.args.collection");
      const isListed = itemAt(metadata, allowList, "collection", args.collection) !== undefined;
      return isListed ? metadata : withItem(metadata, allowList, present(args));
    },
  ),

  update_scope_of_collection_in_allowlist: command(
    z.strictObject({ collection: z.string(), scope: object }),
    (metadata, { collection, scope }) => {
      collectionAt(metadata, collection, "$.args.collection");
      const path = itemAt(metadata, allowList, "collection", collection);
      if (path === undefined) throw refusal("not-found", `collection "${collection}" doesn't exist in the allowlist`);
      return withValue(metadata, [...path, "scope"], scope);
    },
  ),

  drop_collection_from_allowlist: command(z.strictObject({ collection: z.string() }), (metadata, { collection }) => {
    collectionAt(metadata, collection, "$.args.collection");
    return withValue(
      metadata,
      allowList,
      listAt(metadata, allowList).filter((entry) => entry["collection"] !== collection),
    );
  }),

  add_inherited_role: command(
    z.strictObject({ role_name: z.string().min(1), role_set: z.array(z.string()) }),
    (metadata, role) => {
      if (role.role_set.includes(role.role_name))
        throw refusal("invalid-params", "an inherited role name cannot be in the role combination");
      return withItem(metadata, ["inherited_roles"], role, "role_name");
    },
  ),

  drop_inherited_role: command(z.strictObject({ role_name: z.string() }), (metadata, { role_name: name }) => {
    const path = itemAt(metadata, ["inherited_roles"], "role_name", name);
    if (path === undefined) throw refusal("not-exists", `"${name}" inherited role doesn't exist`);
    return without(metadata, path);
  }),

  set_graphql_schema_introspection_options: command(
    z.strictObject({ disabled_for_roles: z.array(z.string()) }),
    (metadata, options) => withValue(metadata, ["graphql_schema_introspection"], options),
  ),
};
