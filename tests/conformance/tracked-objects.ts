import { dropFrom, type Json, push, record } from "./json.ts";
import { qualified } from "./qualified-name.ts";
import type { Source, Sources } from "./sources.ts";

/**
 * Applies a command about tables, their relationships, fields and permissions, or about functions, logical models and native queries.
 * @param raw the command's arguments as they are written: a name alone, or a mapping
 * @returns whether the command is about these
 */
export function changeTracked(sources: Sources, type: string, raw: unknown): boolean {
  const args = record(raw);
  if (type === "track_tables" || type === "untrack_tables") {
    for (const table of args["tables"] as readonly unknown[]) changeTracked(sources, type.slice(0, -1), table);
    return true;
  }
  const change = Object.hasOwn(changes, type) ? changes[type] : undefined;
  if (change === undefined) return false;
  change(sources.of(args), args, raw);
  return true;
}

type Change = (source: Source, args: Json, raw: unknown) => void;

const changeTable =
  (change: (table: Json, args: Json) => void): Change =>
  (source, args) =>
    change(tableOf(source, args["table"]), args);

const changeFunction =
  (change: (tracked: Json, args: Json) => void): Change =>
  (source, args) =>
    change(functionOf(source, args["function"]), args);

const setCustomization = changeTable((table, args) => {
  table["configuration"] = args["configuration"] ?? Object.fromEntries(Object.entries(args).filter(([key]) => key.startsWith("custom_")));
});

const changes: Readonly<Record<string, Change>> = {
  track_table: trackTable,
  add_existing_table_or_view: trackTable,
  untrack_table: (source, args) => source.tables.splice(source.tables.indexOf(tableOf(source, args["table"])), 1),
  set_table_customization: setCustomization,
  set_table_custom_fields: setCustomization,
  set_table_is_enum: changeTable((table, args) => (table["is_enum"] = args["is_enum"])),
  create_select_permission: changeTable((table, { role, permission }) => push(table, "select_permissions", { role, permission })),
  drop_select_permission: changeTable((table, args) => dropFrom(table, "select_permissions", "role", args["role"])),
  create_object_relationship: changeTable((table, { name, using }) => push(table, "object_relationships", { name, using })),
  create_array_relationship: changeTable((table, { name, using }) => push(table, "array_relationships", { name, using })),
  drop_relationship: changeTable((table, args) => dropFrom(table, relationshipOf(table, args["relationship"]).key, "name", args["relationship"])),
  rename_relationship: changeTable((table, args) => (relationshipOf(table, args["name"]).found["name"] = args["new_name"])),
  add_computed_field: changeTable((table, { name, definition, ...rest }) => push(table, "computed_fields", { name, definition, ...("comment" in rest ? { comment: rest["comment"] } : {}) })),
  drop_computed_field: changeTable((table, args) => dropFrom(table, "computed_fields", "name", args["name"])),
  track_function: (source, args, raw) => {
    const { source: _source, ...rest } = isName(args, raw) ? { function: raw } : args;
    source.functions.push({ ...rest, function: qualified(rest["function"]) });
  },
  untrack_function: (source, args, raw) => source.functions.splice(source.functions.indexOf(functionOf(source, isName(args, raw) ? raw : args["function"])), 1),
  set_function_customization: changeFunction((tracked, args) => (tracked["configuration"] = args["configuration"])),
  create_function_permission: changeFunction((tracked, args) => push(tracked, "permissions", { role: args["role"] })),
  drop_function_permission: changeFunction((tracked, args) => dropFrom(tracked, "permissions", "role", args["role"])),
  track_logical_model: (source, { source: _source, ...model }) => source.logical_models.push(model),
  untrack_logical_model: (source, args) => dropFrom(source, "logical_models", "name", args["name"]),
  create_logical_model_select_permission: (source, args) => {
    const { role, permission } = args;
    push(modelOf(source, args), "select_permissions", { role, permission });
  },
  drop_logical_model_select_permission: (source, args) => dropFrom(modelOf(source, args), "select_permissions", "role", args["role"]),
  // A query's own logical model is given permissions later; the case's command is not to change with it.
  track_native_query: (source, { source: _source, type: _type, ...query }) => source.native_queries.push(structuredClone(query)),
  untrack_native_query: (source, args) => dropFrom(source, "native_queries", "root_field_name", args["root_field_name"]),
};

/** A logical model, or the one that a native query has for itself. */
function modelOf(source: Source, { type, name }: Json): Json {
  const ofQuery = type === "native_query";
  const owner = ofQuery ? source.native_queries.find((query) => query["root_field_name"] === name) : source.logical_models.find((model) => model["name"] === name);
  if (owner === undefined) throw new Error(`there is no ${ofQuery ? "native query" : "logical model"} ${String(name)}`);
  return ofQuery ? (owner["returns"] as Json) : owner;
}

/** Whether the arguments are the object's name and nothing else. */
function isName(args: Json, raw: unknown): boolean {
  return typeof raw === "string" || "name" in args;
}

function trackTable(source: Source, args: Json, raw: unknown): void {
  const table = qualified(isName(args, raw) ? raw : args["table"]);
  const { configuration, is_enum: isEnum } = args;
  source.tables.push({ table, ...(configuration === undefined ? {} : { configuration }), ...(isEnum === undefined ? {} : { is_enum: isEnum }) });
}

function tableOf(source: Source, named: unknown): Json {
  const wanted = qualified(named);
  const found = source.tables.find(({ table }) => {
    const { schema, name } = qualified(table);
    return schema === wanted.schema && name === wanted.name;
  });
  if (found === undefined) throw new Error(`the table ${wanted.schema}.${wanted.name} is not tracked`);
  return found;
}

function functionOf(source: Source, named: unknown): Json {
  const wanted = qualified(named);
  const found = source.functions.find((tracked) => qualified(tracked["function"]).name === wanted.name);
  if (found === undefined) throw new Error(`the function ${wanted.name} is not tracked`);
  return found;
}

function relationshipOf(table: Json, name: unknown): { readonly key: string; readonly found: Json } {
  for (const key of ["object_relationships", "array_relationships"]) {
    const found = ((table[key] as Json[] | undefined) ?? []).find((known) => known["name"] === name);
    if (found !== undefined) return { key, found };
  }
  throw new Error(`there is no relationship ${String(name)}`);
}
