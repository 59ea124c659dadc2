import type { MergedPath } from "@routeql/metadata/read/load";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { withoutAll } from "@routeql/metadata/read/without";

/** Metadata lists with one object per entry. */
const lists: ReadonlySet<unknown> = new Set([
  "sources",
  "tables",
  "functions",
  "object_relationships",
  "array_relationships",
  "computed_fields",
  "select_permissions",
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
