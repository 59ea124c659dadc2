import type { Command } from "./cases.ts";

type Json = Record<string, unknown>;

/** A command of Hasura's API that the runner has no counterpart for. */
export class UnknownCommand extends Error {}

export interface SqlStep {
  readonly source: string;
  readonly sql: string;
}

interface Source extends Json {
  readonly name: string;
  readonly tables: Json[];
  readonly functions: Json[];
}

function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

function qualified(value: unknown): { schema: string; name: string } {
  if (typeof value === "string") return { schema: "public", name: value };
  const { schema, name } = record(value);
  return { schema: typeof schema === "string" ? schema : "public", name: String(name) };
}

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`;

function insertStatement(table: { schema: string; name: string }, row: Json): string {
  const columns = Object.keys(row);
  const values = columns.map((column) => {
    const value = row[column];
    if (value === null || value === undefined) return "NULL";
    return literal(typeof value === "string" ? value : JSON.stringify(value));
  });
  const target = `${quote(table.schema)}.${quote(table.name)}`;
  return columns.length === 0 ? `INSERT INTO ${target} DEFAULT VALUES;` : `INSERT INTO ${target} (${columns.map(quote).join(", ")}) VALUES (${values.join(", ")});`;
}

/** Keeps the metadata that Hasura's API commands build up, and hands out the SQL that they run. */
export class MetadataBuilder {
  readonly #sources = new Map<string, Source>();
  #inheritedRoles: Json[] = [];
  #collections: Json[] = [];
  #allowList: Json[] = [];
  #introspection: Json = {};

  constructor() {
    this.#addSource("default", {});
  }

  /** Names of the sources, each of which gets a database of its own. */
  get sources(): readonly string[] {
    return [...this.#sources.keys()];
  }

  #addSource(name: string, customization: Json): void {
    const configuration = { connection_info: { database_url: { from_env: databaseVariable(name) } } };
    this.#sources.set(name, { name, kind: "postgres", configuration, ...(Object.keys(customization).length === 0 ? {} : { customization }), tables: [], functions: [] });
  }

  merged(): Json {
    return structuredClone({
      version: 3,
      sources: [...this.#sources.values()],
      inherited_roles: this.#inheritedRoles,
      query_collections: this.#collections,
      allowlist: this.#allowList,
      graphql_schema_introspection: this.#introspection,
    });
  }

  #source(args: Json): Source {
    const name = typeof args["source"] === "string" ? args["source"] : "default";
    const source = this.#sources.get(name);
    if (source === undefined) throw new Error(`there is no source ${name}`);
    return source;
  }

  #table(args: Json): Json {
    const wanted = qualified(args["table"]);
    const found = this.#source(args).tables.find(({ table }) => {
      const { schema, name } = qualified(table);
      return schema === wanted.schema && name === wanted.name;
    });
    if (found === undefined) throw new Error(`the table ${wanted.schema}.${wanted.name} is not tracked`);
    return found;
  }

  #function(args: Json): Json {
    const wanted = qualified(args["function"]);
    const found = this.#source(args).functions.find((tracked) => qualified(tracked["function"]).name === wanted.name);
    if (found === undefined) throw new Error(`the function ${wanted.name} is not tracked`);
    return found;
  }

  #push(owner: Json, key: string, item: Json): void {
    owner[key] = [...((owner[key] as Json[] | undefined) ?? []), item];
  }

  /** Applies a command; the SQL that it stands for is to be run before the engine sees the metadata. */
  apply(command: Command): readonly SqlStep[] {
    const args = record(command.args);
    const type = command.type.replace(/^pg_/, "");
    switch (type) {
      case "bulk":
      case "concurrent_bulk":
        return (command.args as readonly Command[]).flatMap((inner) => this.apply(inner));
      case "run_sql":
        return [{ source: typeof args["source"] === "string" ? args["source"] : "default", sql: String(args["sql"]) }];
      case "insert": {
        const rows = (args["objects"] as Json[]).map((row) => insertStatement(qualified(args["table"]), row));
        return [{ source: "default", sql: rows.join("\n") }];
      }
      case "insert_permission":
      case "create_insert_permission":
      case "create_update_permission":
      case "create_delete_permission":
        // This engine has no mutations; reads do not depend on these.
        return [];
      default:
        this.#change(type, args, command);
        return [];
    }
  }

  #change(type: string, args: Json, command: Command): void {
    switch (type) {
      case "add_source":
        this.#addSource(String(args["name"]), record(args["customization"]));
        break;
      case "track_table":
      case "add_existing_table_or_view":
        this.#trackTable(command.args, args);
        break;
      case "untrack_table":
        this.#source(args).tables.splice(this.#source(args).tables.indexOf(this.#table(args)), 1);
        break;
      case "set_table_customization":
      case "set_table_custom_fields":
        this.#table(args)["configuration"] = args["configuration"] ?? { custom_root_fields: args["custom_root_fields"], custom_column_names: args["custom_column_names"] };
        break;
      case "set_table_is_enum":
        this.#table(args)["is_enum"] = args["is_enum"];
        break;
      case "create_select_permission":
        this.#push(this.#table(args), "select_permissions", { role: args["role"], permission: args["permission"] });
        break;
      case "drop_select_permission":
        this.#dropFrom(this.#table(args), "select_permissions", "role", args["role"]);
        break;
      case "create_object_relationship":
        this.#push(this.#table(args), "object_relationships", { name: args["name"], using: args["using"] });
        break;
      case "create_array_relationship":
        this.#push(this.#table(args), "array_relationships", { name: args["name"], using: args["using"] });
        break;
      case "drop_relationship":
        for (const key of ["object_relationships", "array_relationships"]) this.#dropFrom(this.#table(args), key, "name", args["relationship"]);
        break;
      case "add_computed_field":
        this.#push(this.#table(args), "computed_fields", { name: args["name"], definition: args["definition"], ...("comment" in args ? { comment: args["comment"] } : {}) });
        break;
      case "drop_computed_field":
        this.#dropFrom(this.#table(args), "computed_fields", "name", args["name"]);
        break;
      case "track_function": {
        const named = typeof command.args === "string" || "name" in args ? { function: command.args } : args;
        const { source: _source, ...rest } = named;
        this.#source(args).functions.push({ ...rest, function: qualified(rest["function"]) });
        break;
      }
      case "untrack_function":
        this.#source(args).functions.splice(this.#source(args).functions.indexOf(this.#function(args)), 1);
        break;
      case "set_function_customization":
        this.#function(args)["configuration"] = args["configuration"];
        break;
      case "create_function_permission":
        this.#push(this.#function(args), "permissions", { role: args["role"] });
        break;
      case "drop_function_permission":
        this.#dropFrom(this.#function(args), "permissions", "role", args["role"]);
        break;
      default:
        this.#changeGlobal(type, args);
    }
  }

  #changeGlobal(type: string, args: Json): void {
    switch (type) {
      case "clear_metadata":
        for (const source of this.#sources.values()) source.tables.length = source.functions.length = 0;
        this.#inheritedRoles = [];
        this.#collections = [];
        this.#allowList = [];
        this.#introspection = {};
        break;
      case "add_inherited_role":
        this.#inheritedRoles.push({ role_name: args["role_name"], role_set: args["role_set"] });
        break;
      case "drop_inherited_role":
        this.#inheritedRoles = this.#inheritedRoles.filter((role) => role["role_name"] !== args["role_name"]);
        break;
      case "create_query_collection":
        this.#collections.push({ name: args["name"], definition: args["definition"], ...("comment" in args ? { comment: args["comment"] } : {}) });
        break;
      case "add_query_to_collection":
        this.#queries(args["collection_name"]).push({ name: args["query_name"], query: args["query"] });
        break;
      case "drop_query_from_collection": {
        const queries = this.#queries(args["collection_name"]);
        queries.splice(queries.findIndex(({ name }) => name === args["query_name"]), 1);
        break;
      }
      case "rename_query_collection":
        this.#rename(args["name"], args["new_name"]);
        break;
      case "add_collection_to_allowlist":
        this.#allowList.push({ collection: args["collection"], ...("scope" in args ? { scope: args["scope"] } : {}) });
        break;
      case "update_scope_of_collection_in_allowlist":
        this.#allowList = this.#allowList.map((entry) => (entry["collection"] === args["collection"] ? { ...entry, scope: args["scope"] } : entry));
        break;
      case "drop_collection_from_allowlist":
        this.#allowList = this.#allowList.filter(({ collection }) => collection !== args["collection"]);
        break;
      case "set_graphql_schema_introspection_options":
        this.#introspection = args;
        break;
      default:
        throw new UnknownCommand(`no counterpart for the command ${type}`);
    }
  }

  #dropFrom(owner: Json, key: string, by: string, value: unknown): void {
    owner[key] = ((owner[key] as Json[] | undefined) ?? []).filter((item) => item[by] !== value);
  }

  #queries(name: unknown): Json[] {
    const collection = this.#collections.find((known) => known["name"] === name);
    if (collection === undefined) throw new Error(`query collection with name "${String(name)}" does not exist`);
    return record(collection["definition"])["queries"] as Json[];
  }

  #rename(name: unknown, next: unknown): void {
    this.#queries(name);
    this.#collections = this.#collections.map((known) => (known["name"] === name ? { ...known, name: next } : known));
    this.#allowList = this.#allowList.map((entry) => (entry["collection"] === name ? { ...entry, collection: next } : entry));
  }

  #trackTable(raw: unknown, args: Json): void {
    const isName = typeof raw === "string" || "name" in args;
    const table = qualified(isName ? raw : args["table"]);
    const { configuration, is_enum: isEnum } = args;
    this.#source(args).tables.push({ table, ...(configuration === undefined ? {} : { configuration }), ...(isEnum === undefined ? {} : { is_enum: isEnum }) });
  }
}

/** Name of the environment variable with a source's address. */
export function databaseVariable(source: string): string {
  return `CONFORMANCE_DATABASE_${source.toUpperCase()}`;
}
