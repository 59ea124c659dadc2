/** A normal form in which equivalent metadata is equal: lists by identity of their items, no defaults, no short forms. */
import { isDeepStrictEqual } from "node:util";
import type { MergedPath } from "@routeql/metadata/read/load";
import { type Fields, isFields } from "../metadata/conditions.ts";

/** Lists with named items, and the functions that return the names. */
export const identities: Readonly<Record<string, (item: Fields) => string>> = {
  sources: (item) => String(item["name"]),
  tables: (item) => qualified(item["table"]),
  functions: (item) => qualified(item["function"]),
  object_relationships: named,
  array_relationships: named,
  remote_relationships: named,
  computed_fields: named,
  select_permissions: role,
  insert_permissions: role,
  update_permissions: role,
  delete_permissions: role,
  permissions: role,
  event_triggers: named,
  inherited_roles: (item) => String(item["role_name"]),
  query_collections: named,
  queries: named,
  allowlist: (item) => String(item["collection"]),
  actions: named,
  remote_schemas: named,
  cron_triggers: named,
  rest_endpoints: named,
  logical_models: named,
  native_queries: (item) => String(item["root_field_name"]),
};

/** Lists without order. */
const sets = new Set([
  "columns",
  "computed_fields",
  "role_set",
  "disabled_for_roles",
  "query_root_fields",
  "subscription_root_fields",
  "roles",
]);

/** Keys whose empty value has a meaning. */
const meaningful = new Set([
  "filter",
  "check",
  "columns",
  "query_root_fields",
  "subscription_root_fields",
  "_and",
  "_or",
  "_not",
  "_where",
  "_in",
  "_nin",
]);

/** Defaults of Hasura, which exports can contain or omit. */
const defaults: Readonly<Record<string, unknown>> = {
  allow_aggregations: false,
  backend_only: false,
  is_enum: false,
  kind: "postgres",
  isolation_level: "read-committed",
  use_prepared_statements: false,
  comment: "",
};

function named(item: Fields): string {
  return String(item["name"]);
}

function role(item: Fields): string {
  return String(item["role"]);
}

function qualified(value: unknown): string {
  if (typeof value === "string") return `public.${value}`;
  if (!isFields(value)) return JSON.stringify(value);
  const { schema = "public", name } = value as { readonly schema?: string; readonly name?: string };
  return `${schema}.${name ?? ""}`;
}

/** A node of the normal form with its original place. */
export interface NormalMetadata {
  readonly value: unknown;
  pathOf(node: unknown): MergedPath | undefined;
}

class Normaliser {
  readonly origins = new WeakMap<object, MergedPath>();

  value(value: unknown, key: string, path: MergedPath): unknown {
    if (key === "table" || key === "function" || key === "remote_table" || key === "_table")
      return isFields(value) || typeof value === "string" ? qualified(value) : value;
    if (key === "foreign_key_constraint_on") return this.#constraint(value);
    if (Array.isArray(value)) return this.#list(value, key, path);
    return isFields(value) ? this.#fields(value, path) : value;
  }

  #constraint(value: unknown): unknown {
    if (typeof value === "string") return [value];
    if (!isFields(value)) return value;
    const columns = value["columns"] ?? value["column"];
    return { table: qualified(value["table"]), columns: typeof columns === "string" ? [columns] : columns };
  }

  #list(list: readonly unknown[], key: string, path: MergedPath): unknown {
    const identity = identities[key];
    if (identity !== undefined && list.every(isFields)) {
      const found: Record<string, unknown> = {};
      for (const [index, item] of list.entries()) found[identity(item)] = this.value(item, "", [...path, index]);
      return found;
    }
    const items = list.map((item, index) => this.value(item, "", [...path, index]));
    return sets.has(key) && items.every((item) => typeof item === "string") ? items.toSorted() : items;
  }

  #fields(fields: Fields, path: MergedPath): Fields {
    const result: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(fields)) {
      if (item === null || item === undefined || (key in defaults && item === defaults[key])) continue;
      const value = this.value(item, key, [...path, key]);
      if (typeof value === "object" && value !== null && Object.keys(value).length === 0 && !meaningful.has(key))
        continue;
      result[key] = value;
    }
    const known = withoutOlderNames(result);
    this.origins.set(known, path);
    return known;
  }
}

/** Hasura exports custom column names twice: in column_config and in the older custom_column_names. */
function withoutOlderNames(fields: Fields): Fields {
  const older = fields["custom_column_names"];
  if (!isFields(older)) return fields;
  const config: Record<string, unknown> = { ...(isFields(fields["column_config"]) ? fields["column_config"] : {}) };
  for (const [column, name] of Object.entries(older))
    config[column] = { custom_name: name, ...(isFields(config[column]) ? config[column] : {}) };
  return Object.fromEntries([
    ...Object.entries(fields).filter(([key]) => key !== "custom_column_names" && key !== "column_config"),
    ["column_config", config],
  ]);
}

export const isSame = (one: unknown, other: unknown): boolean =>
  isDeepStrictEqual(normalForm(one).value, normalForm(other).value);

export function normalForm(metadata: unknown): NormalMetadata {
  const normaliser = new Normaliser();
  const value = normaliser.value(metadata, "", []);
  return { value, pathOf: (node) => (isFields(node) ? normaliser.origins.get(node) : undefined) };
}
