import type { MergedPath } from "@routeql/metadata/read/load";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { nameText, qualifiedAt, valueAt } from "./commands/places.ts";
import type { Json } from "./commands/change.ts";

/** An object of metadata with Hasura's names for it. */
export interface HasuraObject {
  /** The `type` of an inconsistent object. */
  readonly type: string;
  /** The `name` of an inconsistent object. */
  readonly name: string;
  /** Its name in the error about dependent objects. */
  readonly dependency: string;
}

/** Hasura's type of an object and the key of its name, by its list in the metadata. */
const ofTables: Readonly<Record<string, { readonly type: string; readonly key: string; readonly word: string }>> = {
  object_relationships: { type: "object_relation", key: "name", word: "relationship" },
  array_relationships: { type: "array_relation", key: "name", word: "relationship" },
  computed_fields: { type: "computed_field", key: "name", word: "computed field" },
  select_permissions: { type: "select_permission", key: "role", word: "permission" },
};

const ofSources: Readonly<Record<string, { readonly type: string; readonly key: string; readonly word: string }>> = {
  functions: { type: "function", key: "function", word: "function" },
  logical_models: { type: "logical_model", key: "name", word: "logical model" },
  native_queries: { type: "native_query", key: "root_field_name", word: "native query" },
};

/** Hasura's names of the object that encloses a problem; the engine's own names without a counterpart in Hasura. */
export function hasuraObject(metadata: Json, { at, type, name, kind: why }: Pick<Inconsistency, "at" | "type" | "name" | "kind">): HasuraObject {
  const [root, index, list, position, inner, item] = at;
  if (type === "inherited_role") return { type, name: `${type} inherited role ${name}`, dependency: `inherited role ${name}` };
  const own = { type, name, dependency: `${type} ${name}` };
  if (why !== "inconsistent" || root !== "sources" || typeof index !== "number") return own;
  const source = String(valueAt(metadata, [root, index, "name"]));
  if (typeof list !== "string" || typeof position !== "number") return type === "source" ? { type, name: `source ${source}`, dependency: `source ${source}` } : own;
  const path = [root, index, list, position];
  if (valueAt(metadata, path) === undefined) return own;
  if (list !== "tables") {
    const kind = ofSources[list];
    if (kind === undefined) return own;
    const called = list === "functions" ? nameText(qualifiedAt(metadata, [...path, kind.key])) : String(valueAt(metadata, [...path, kind.key]));
    return { type: kind.type, name: `${kind.type} ${called} in source ${source}`, dependency: `${kind.word} ${called} in source "${source}"` };
  }
  const table = nameText(qualifiedAt(metadata, [...path, "table"]));
  const kind = typeof inner === "string" && typeof item === "number" ? ofTables[inner] : undefined;
  if (kind === undefined) return { type: "table", name: `table ${table} in source ${source}`, dependency: `table ${table} in source "${source}"` };
  const called = String(valueAt(metadata, [...path, ...([inner, item] as MergedPath), kind.key]));
  const dependency = `${kind.word} ${table}.${called}${kind.word === "permission" ? ".select" : ""} in source "${source}"`;
  return { type: kind.type, name: `${kind.type} ${called} in table ${table} in source ${source}`, dependency };
}

/** Hasura's message about an inconsistent object. */
export function inconsistentReason({ reason }: Pick<Inconsistency, "reason">): string {
  return `Inconsistent object: ${reason}`;
}
