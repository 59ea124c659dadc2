/** Problems of metadata: the objects to drop, and their description in Hasura's wording. */
import { type MergedPath, valueAt } from "@routeql/metadata/read/load";
import type { Inconsistency, MetadataError, Problem } from "@routeql/metadata/read/problems";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { withoutAll } from "@routeql/metadata/read/validate";
import { EngineError } from "../errors.ts";

/** Metadata lists with one object per entry. */
const lists: ReadonlySet<unknown> = new Set([
  "sources",
  "tables",
  "functions",
  "object_relationships",
  "array_relationships",
  "computed_fields",
  "select_permissions",
  "insert_permissions",
  "update_permissions",
  "delete_permissions",
  "logical_models",
  "native_queries",
  "permissions",
  "inherited_roles",
  "queries",
  "allowlist",
]);

/** The object that a problem makes unusable: the innermost enclosing list entry; in a table's configuration, that key alone. */
export function objectAround(path: MergedPath): MergedPath {
  const end = path.findLastIndex((part, index) => typeof part === "number" && lists.has(path[index - 1]));
  return path[end + 1] === "configuration" && path.length > end + 2 ? path : path.slice(0, end + 1);
}

/** Metadata without the objects that do not match the databases. Objects that this engine merely does not serve stay. */
export function dropInconsistent(
  metadata: unknown,
  inconsistencies: readonly Pick<Inconsistency, "at" | "kind">[],
): unknown {
  const paths = inconsistencies.filter(({ kind }) => kind === "inconsistent").map(({ at }) => objectAround(at));
  return withoutAll(
    metadata,
    paths.filter((path) => path.length > 0),
  );
}

/** Merged metadata, or an object of it. */
type Json = Readonly<Record<string, unknown>>;

interface HasuraObject {
  /** The `type` of an inconsistent object. */
  readonly type: string;
  /** The `name` of an inconsistent object. */
  readonly name: string;
}

/** Hasura's type of an object and the key of its name, by its list in the metadata. */
const ofTables: Readonly<Record<string, { readonly type: string; readonly key: string }>> = {
  object_relationships: { type: "object_relation", key: "name" },
  array_relationships: { type: "array_relation", key: "name" },
  computed_fields: { type: "computed_field", key: "name" },
  select_permissions: { type: "select_permission", key: "role" },
  insert_permissions: { type: "insert_permission", key: "role" },
  update_permissions: { type: "update_permission", key: "role" },
  delete_permissions: { type: "delete_permission", key: "role" },
};

const ofSources: Readonly<Record<string, { readonly type: string; readonly key: string }>> = {
  functions: { type: "function", key: "function" },
  logical_models: { type: "logical_model", key: "name" },
  native_queries: { type: "native_query", key: "root_field_name" },
};

/** Hasura's names of the object that encloses a problem; the engine's own names without a counterpart in Hasura. */
export function hasuraObject(
  metadata: Json,
  { at, type, name, kind: why }: Pick<Inconsistency, "at" | "type" | "name" | "kind">,
): HasuraObject {
  const [root, index, list, position, inner, item] = at;
  if (type === "inherited_role") return { type, name: `${type} inherited role ${name}` };
  const own = { type, name };
  if (why !== "inconsistent" || root !== "sources" || typeof index !== "number") return own;
  const source = String(valueAt(metadata, [root, index, "name"]));
  if (typeof list !== "string" || typeof position !== "number")
    return type === "source" ? { type, name: `source ${source}` } : own;
  const path = [root, index, list, position];
  if (valueAt(metadata, path) === undefined) return own;
  if (list !== "tables") {
    const kind = ofSources[list];
    if (kind === undefined) return own;
    const called =
      list === "functions" ? nameAt(metadata, [...path, kind.key]) : String(valueAt(metadata, [...path, kind.key]));
    return { type: kind.type, name: `${kind.type} ${called} in source ${source}` };
  }
  const table = nameAt(metadata, [...path, "table"]);
  const kind = typeof inner === "string" && typeof item === "number" ? ofTables[inner] : undefined;
  if (kind === undefined) return { type: "table", name: `table ${table} in source ${source}` };
  const called = String(valueAt(metadata, [...path, ...([inner, item] as MergedPath), kind.key]));
  return { type: kind.type, name: `${kind.type} ${called} in table ${table} in source ${source}` };
}

/** Hasura's notation for the name of a table or function: the schema only if it is not `public`. */
function nameAt(metadata: Json, path: MergedPath): string {
  const { schema, name } = qualifiedName.parse(valueAt(metadata, path));
  return schema === "public" ? name : `${schema}.${name}`;
}

function inconsistentReason({ reason }: Pick<Inconsistency, "reason">): string {
  return `Inconsistent object: ${reason}`;
}

/** An object that is not served, in the format of `get_inconsistent_metadata`. */
export function describe(metadata: Json, problem: Inconsistency): unknown {
  const { path, definition } = problem;
  const { type, name } = hasuraObject(metadata, problem);
  const reason = problem.kind === "inconsistent" ? inconsistentReason(problem) : problem.reason;
  return { type, name, reason, path, definition };
}

function describeProblem(metadata: Json, problem: Problem | Inconsistency): unknown {
  const { path, reason } = problem;
  return "definition" in problem ? describe(metadata, problem) : { path, reason };
}

/** Hasura's error for metadata that does not fit, or all its problems. @param place of the metadata in the value at the path */
export function refusalOf({ problems }: MetadataError, metadata: Json, path: string, place = ""): EngineError {
  const internal = problems.map((problem) => describeProblem(metadata, problem));
  if (problems.every(({ kind }) => kind === "inconsistent"))
    return new EngineError({
      code: "unexpected",
      message: "cannot continue due to inconsistent metadata",
      path,
      status: 400,
      internal,
    });
  const code = problems.some(({ kind }) => kind === "invalid") ? "parse-failed" : "not-supported";
  const message = problems.map((problem) => `${problem.path}: ${problem.reason}`).join("; ");
  return new EngineError({ code, path: `${path}${place}`, message, internal });
}
