import { type Json, record } from "./json.ts";

/** What metadata say of all sources together: inherited roles, query collections and the allow list of them, introspection. */
export class SharedMetadata {
  #inheritedRoles: Json[] = [];
  #collections: Json[] = [];
  #allowList: Json[] = [];
  #introspection: Json = {};

  get merged(): Json {
    return {
      inherited_roles: this.#inheritedRoles,
      query_collections: this.#collections,
      allowlist: this.#allowList,
      graphql_schema_introspection: this.#introspection,
    };
  }

  adopt(metadata: Json): void {
    this.#inheritedRoles = (metadata["inherited_roles"] as Json[] | undefined) ?? [];
    this.#collections = (metadata["query_collections"] as Json[] | undefined) ?? [];
    this.#allowList = (metadata["allowlist"] as Json[] | undefined) ?? [];
    this.#introspection = record(metadata["graphql_schema_introspection"]);
  }

  /** @returns whether the command is about these */
  change(type: string, args: Json): boolean {
    switch (type) {
      case "add_inherited_role":
        this.#inheritedRoles.push({ role_name: args["role_name"], role_set: args["role_set"] });
        return true;
      case "drop_inherited_role":
        this.#inheritedRoles = this.#inheritedRoles.filter((role) => role["role_name"] !== args["role_name"]);
        return true;
      case "create_query_collection":
        this.#collections.push({ name: args["name"], definition: args["definition"], ...("comment" in args ? { comment: args["comment"] } : {}) });
        return true;
      case "add_query_to_collection":
        this.#queries(args["collection_name"]).push({ name: args["query_name"], query: args["query"] });
        return true;
      case "drop_query_from_collection": {
        const queries = this.#queries(args["collection_name"]);
        queries.splice(queries.findIndex(({ name }) => name === args["query_name"]), 1);
        return true;
      }
      case "rename_query_collection":
        this.#rename(args["name"], args["new_name"]);
        return true;
      case "add_collection_to_allowlist":
        this.#allowList.push({ collection: args["collection"], ...("scope" in args ? { scope: args["scope"] } : {}) });
        return true;
      case "update_scope_of_collection_in_allowlist":
        this.#allowList = this.#allowList.map((entry) => (entry["collection"] === args["collection"] ? { ...entry, scope: args["scope"] } : entry));
        return true;
      case "drop_collection_from_allowlist":
        this.#allowList = this.#allowList.filter(({ collection }) => collection !== args["collection"]);
        return true;
      case "set_graphql_schema_introspection_options":
        this.#introspection = args;
        return true;
      default:
        return false;
    }
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
}
