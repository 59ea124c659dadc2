import { keyOf } from "@routeql/metadata/declared/tables";
import type { MergedPath } from "@routeql/metadata/read/load";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { isFields } from "./conditions.ts";
import type { Found, Rule } from "./rule.ts";

/** Lists of the metadata, the field that identifies an entry, and what Hasura does with the second entry of a name. */
const lists: readonly (readonly [at: readonly string[], identity: string, effect: "refused" | "overridden"])[] = [
  [["sources"], "name", "overridden"],
  ...["tables", "functions"].map((list) => [["sources", list], list.slice(0, -1), "overridden"] as const),
  ...["select", "insert", "update", "delete"].map(
    (verb) => [["sources", "tables", `${verb}_permissions`], "role", "refused"] as const,
  ),
  ...["object_relationships", "array_relationships", "remote_relationships", "computed_fields", "event_triggers"].map(
    (list) => [["sources", "tables", list], "name", "refused"] as const,
  ),
  ...["remote_schemas", "query_collections", "actions", "cron_triggers"].map(
    (list) => [[list], "name", "refused"] as const,
  ),
  [["allowlist"], "collection", "refused"],
  [["inherited_roles"], "role_name", "refused"],
  [["rest_endpoints"], "name", "overridden"],
];

/** All entries of a list in lists. */
function entriesOf(
  value: unknown,
  [first, ...rest]: readonly string[],
  at: MergedPath,
): readonly (readonly Placed[])[] {
  const list = isFields(value) ? value[first ?? ""] : undefined;
  if (first === undefined || !Array.isArray(list)) return [];
  const placed = list.map((entry: unknown, index): Placed => ({ entry, at: [...at, first, index] }));
  return rest.length === 0 ? [placed] : placed.flatMap(({ entry, at: inside }) => entriesOf(entry, rest, inside));
}

interface Placed {
  readonly entry: unknown;
  readonly at: MergedPath;
}

/** The name of an entry; a table without a schema is in `public`. */
function nameOf(entry: unknown, identity: string): string | undefined {
  const value = isFields(entry) ? entry[identity] : undefined;
  if (identity !== "table" && identity !== "function") return typeof value === "string" ? value : undefined;
  const name = qualifiedName.safeParse(value);
  return name.success ? keyOf(name.data) : undefined;
}

export const declaredTwice: Rule = {
  id: "declared-twice",
  severity: "error",
  finds: "two declarations of the same table, function, permission, relationship, action or other object",
  why: "Hasura rejects the whole metadata. Of two equal sources, tables, functions or REST endpoints it uses the last one alone, without a message.",
  remedy: "merge the two declarations, or delete one",
  find: ({ project }) =>
    lists.flatMap(([path, identity, effect]) =>
      entriesOf(project.loaded.merged, path, []).flatMap((entries) =>
        entries.flatMap(({ entry, at }, index): readonly Found[] => {
          const name = nameOf(entry, identity);
          if (
            name === undefined ||
            !entries.slice(0, index).some((earlier) => nameOf(earlier.entry, identity) === name)
          )
            return [];
          const result = effect === "refused" ? "Hasura rejects the metadata" : "Hasura ignores the earlier one";
          return [{ at, name, reason: `${String(path.at(-1))} has ${name} twice: ${result}` }];
        }),
      ),
    ),
};
