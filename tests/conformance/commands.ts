import { type Json, record } from "./json.ts";
import { qualified } from "./qualified-name.ts";

/** Place of one kind of object: its list, in the object that has it, and the key of its name there. */
interface Kind {
  readonly owner: "metadata" | "source" | "table" | "function";
  readonly list: string;
  readonly key: string;
}

const ofTable = (list: string, key: string): Kind => ({ owner: "table", list, key });

/** By the end of the command's name: `track_table`, `create_select_permission`. */
const kinds: Readonly<Record<string, Kind | undefined>> = {
  table: { owner: "source", list: "tables", key: "table" },
  function: { owner: "source", list: "functions", key: "function" },
  object_relationship: ofTable("object_relationships", "name"),
  array_relationship: ofTable("array_relationships", "name"),
  computed_field: ofTable("computed_fields", "name"),
  insert_permission: ofTable("insert_permissions", "role"),
  select_permission: ofTable("select_permissions", "role"),
  update_permission: ofTable("update_permissions", "role"),
  delete_permission: ofTable("delete_permissions", "role"),
  function_permission: { owner: "function", list: "permissions", key: "role" },
  inherited_role: { owner: "metadata", list: "inherited_roles", key: "role_name" },
  query_collection: { owner: "metadata", list: "query_collections", key: "name" },
};

/**
 * Applies a metadata command of Hasura's API that adds or removes one object, or changes a query collection.
 * @param metadata with one source; changed in place
 * @returns false for an unknown command
 * @throws Error when the object to add exists, or another object is missing
 */
export function applyCommand(metadata: Json, type: string, given: unknown): boolean {
  const [, verb, name = ""] = /^(track|untrack|create|add|drop)_(.+)$/.exec(type) ?? [];
  const kind = kinds[name];
  if (kind === undefined) return applyToCollections(metadata, type, record(given));
  const args = kind.owner === "source" ? withName(kind.key, given) : record(given);
  const list = listIn(ownerOf(metadata, kind, args), kind.list);
  const { source: _source, [kind.owner]: _owner, ...entry } = args;
  if (verb === "untrack" || verb === "drop") remove(list, kind.key, args[kind.key]);
  else add(list, kind.key, entry);
  return true;
}

function applyToCollections(metadata: Json, type: string, args: Json): boolean {
  const collections = listIn(metadata, "query_collections");
  const queries = (): Json[] =>
    listIn(record(find(collections, "name", args["collection_name"])["definition"]), "queries");
  switch (type) {
    case "rename_query_collection":
      for (const [list, key] of [
        [collections, "name"],
        [listIn(metadata, "allowlist"), "collection"],
      ] as const)
        for (const entry of list) if (entry[key] === args["name"]) entry[key] = args["new_name"];
      return true;
    case "add_query_to_collection":
      add(queries(), "name", { name: args["query_name"], query: args["query"] });
      return true;
    case "drop_query_from_collection":
      remove(queries(), "name", args["query_name"]);
      return true;
    case "add_collection_to_allowlist":
      add(listIn(metadata, "allowlist"), "collection", args);
      return true;
    default:
      return false;
  }
}

/** The name of a table or function may be the only argument. */
function withName(key: string, args: unknown): Json {
  return typeof args === "string" || "name" in record(args) ? { [key]: args } : record(args);
}

function ownerOf(metadata: Json, { owner }: Kind, args: Json): Json {
  if (owner === "metadata") return metadata;
  const source = find(listIn(metadata, "sources"), "name", args["source"] ?? "default");
  return owner === "source" ? source : find(listIn(source, `${owner}s`), owner, args[owner]);
}

function listIn(owner: Json, name: string): Json[] {
  owner[name] ??= [];
  return owner[name] as Json[];
}

/** A name alone is the same as the name with the schema `public`. */
const text = (name: unknown): string => JSON.stringify(qualified(name));

const indexOf = (list: readonly Json[], key: string, name: unknown): number =>
  list.findIndex((entry) => text(entry[key]) === text(name));

function find(list: readonly Json[], key: string, name: unknown): Json {
  const found = list[indexOf(list, key, name)];
  if (found === undefined) throw new Error(`there is no ${key} ${text(name)}`);
  return found;
}

function add(list: Json[], key: string, entry: Json): void {
  if (indexOf(list, key, entry[key]) !== -1) throw new Error(`there is already a ${key} ${text(entry[key])}`);
  list.push(entry);
}

function remove(list: Json[], key: string, name: unknown): void {
  list.splice(list.indexOf(find(list, key, name)), 1);
}
