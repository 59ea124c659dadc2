import type { Command } from "./cases.ts";
import { withoutObjects, type ObjectPath } from "./without-objects.ts";

type Json = Record<string, unknown>;

/** A command of Hasura's API that the runner has no counterpart for. */
export class UnknownCommand extends Error {}

export interface SqlStep {
  readonly database: string;
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
  /** Database of each source; those with the same address share one. */
  readonly #databases = new Map<string, string>();
  #inheritedRoles: Json[] = [];
  #collections: Json[] = [];
  #allowList: Json[] = [];
  #introspection: Json = {};

  constructor() {
    this.#addSource("default", {});
  }

  /** Databases that the sources need. */
  get databases(): readonly string[] {
    return [...new Set(this.#databases.values())];
  }

  /** @param kept what a source of that name had before */
  #addSource(name: string, args: Json, kept?: Pick<Source, "tables" | "functions">): void {
    const customization = record(args["customization"]);
    const database = databaseOf(name, args);
    this.#databases.set(name, database);
    const configuration = { connection_info: { database_url: { from_env: databaseVariable(database) } } };
    const objects = { tables: kept?.tables ?? [], functions: kept?.functions ?? [] };
    this.#sources.set(name, { name, kind: "postgres", configuration, ...(Object.keys(customization).length === 0 ? {} : { customization }), ...objects });
  }

  /** Takes objects that no longer fit the database out, as Hasura does with what depends on what was dropped. */
  drop(paths: readonly ObjectPath[]): void {
    this.#adopt(withoutObjects(this.merged(), paths));
  }

  #adopt(metadata: Json): void {
    const sources = (metadata["sources"] as readonly Source[] | undefined) ?? [];
    const known = new Map(this.#databases);
    this.#sources.clear();
    this.#databases.clear();
    for (const source of sources) {
      this.#addSource(source.name, source, source);
      const database = known.get(source.name);
      if (database !== undefined) this.#moveSource(source.name, database);
    }
    this.#inheritedRoles = (metadata["inherited_roles"] as Json[] | undefined) ?? [];
    this.#collections = (metadata["query_collections"] as Json[] | undefined) ?? [];
    this.#allowList = (metadata["allowlist"] as Json[] | undefined) ?? [];
    this.#introspection = record(metadata["graphql_schema_introspection"]);
  }

  #moveSource(name: string, database: string): void {
    const source = this.#sources.get(name);
    if (source === undefined) return;
    this.#databases.set(name, database);
    this.#sources.set(name, { ...source, configuration: { connection_info: { database_url: { from_env: databaseVariable(database) } } } });
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

  #database(args: Json): string {
    return this.#databases.get(this.#source(args).name) ?? "default";
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
      case "run_sql":
        return [{ database: this.#database(args), sql: String(args["sql"]) }];
      case "insert": {
        const rows = (args["objects"] as Json[]).map((row) => insertStatement(qualified(args["table"]), row));
        return [{ database: this.#database(args), sql: rows.join("\n") }];
      }
      case "insert_permission":
      case "create_insert_permission":
      case "create_update_permission":
      case "create_delete_permission":
      case "drop_insert_permission":
      case "drop_update_permission":
      case "drop_delete_permission":
        // This engine has no mutations; reads do not depend on these.
        return [];
      case "set_permission_comment":
      case "set_relationship_comment":
      case "export_metadata":
      case "reload_metadata":
      case "reload_source":
      case "get_inconsistent_metadata":
      case "drop_inconsistent_metadata":
        // Nothing that a query could see: after each command the databases are read again.
        return [];
      default:
        this.#change(type, args, command);
        return [];
    }
  }

  #change(type: string, args: Json, command: Command): void {
    switch (type) {
      case "add_source":
      case "update_source":
      case "drop_source":
      case "rename_source":
        this.#changeSource(type, args);
        break;
      case "track_tables":
      case "untrack_tables":
        for (const table of args["tables"] as readonly Json[]) this.#change(type.slice(0, -1), record(table), { type, args: table });
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
        this.#table(args)["configuration"] = args["configuration"] ?? Object.fromEntries(Object.entries(args).filter(([key]) => key.startsWith("custom_")));
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
        this.#dropFrom(this.#table(args), this.#relationships(args, args["relationship"]).key, "name", args["relationship"]);
        break;
      case "rename_relationship":
        this.#relationships(args, args["name"]).found["name"] = args["new_name"];
        break;
      case "add_computed_field":
        this.#push(this.#table(args), "computed_fields", { name: args["name"], definition: args["definition"], ...("comment" in args ? { comment: args["comment"] } : {}) });
        break;
      case "drop_computed_field":
        this.#dropFrom(this.#table(args), "computed_fields", "name", args["name"]);
        break;
      case "track_function": {
        const { source: _source, ...rest } = ofFunction(command.args, args);
        this.#source(args).functions.push({ ...rest, function: qualified(rest["function"]) });
        break;
      }
      case "untrack_function": {
        const named = ofFunction(command.args, args);
        this.#source(args).functions.splice(this.#source(args).functions.indexOf(this.#function(named)), 1);
        break;
      }
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

  #changeSource(type: string, args: Json): void {
    const name = String(args["name"]);
    const known = this.#sources.get(name);
    if (type === "add_source") {
      if (known !== undefined && args["replace_configuration"] !== true) throw new Error(`there is a source ${name} already`);
      this.#addSource(name, args, known);
      return;
    }
    if (known === undefined) throw new Error(`there is no source ${name}`);
    const database = this.#databases.get(name) ?? "default";
    if (type === "update_source") {
      this.#addSource(name, { ...known, ...args }, known);
      if (args["configuration"] === undefined) this.#moveSource(name, database);
      return;
    }
    this.#sources.delete(name);
    this.#databases.delete(name);
    if (type === "drop_source") return;
    const next = String(args["new_name"]);
    this.#addSource(next, known, known);
    this.#moveSource(next, database);
  }

  #changeGlobal(type: string, args: Json): void {
    switch (type) {
      case "replace_metadata":
        this.#adopt(structuredClone(record(args["metadata"] ?? args)));
        break;
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
    const before = (owner[key] as Json[] | undefined) ?? [];
    owner[key] = before.filter((item) => item[by] !== value);
    if ((owner[key] as Json[]).length === before.length) throw new Error(`there is no ${String(value)} among the ${key}`);
  }

  #relationships(args: Json, name: unknown): { readonly key: string; readonly found: Json } {
    const table = this.#table(args);
    for (const key of ["object_relationships", "array_relationships"]) {
      const found = ((table[key] as Json[] | undefined) ?? []).find((known) => known["name"] === name);
      if (found !== undefined) return { key, found };
    }
    throw new Error(`there is no relationship ${String(name)}`);
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

/** A function is named alone or among further keys. */
function ofFunction(raw: unknown, args: Json): Json {
  return typeof raw === "string" || "name" in args ? { function: raw, source: args["source"] } : args;
}

/** Sources with the same address share a database; the default source's own has a name in Hasura's environment too. */
function databaseOf(source: string, args: Json): string {
  const url = record(record(args["configuration"])["connection_info"])["database_url"];
  const { from_env: variable } = record(url);
  if (variable === "HASURA_GRAPHQL_DATABASE_URL") return "default";
  if (typeof variable === "string") return variable;
  return typeof url === "string" ? url : source;
}

/** Name of the environment variable with a database's address. */
export function databaseVariable(database: string): string {
  return `CONFORMANCE_DATABASE_${Buffer.from(database).toString("hex").toUpperCase()}`;
}
