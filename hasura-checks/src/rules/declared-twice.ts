import type { MergedPath } from "@routeql/metadata/read/load";
import { identities } from "../diff/normal-form.ts";
import { type Fields, isFields } from "../metadata/conditions.ts";
import type { Found, Rule } from "./rule.ts";

/** Lists of which Hasura uses the last entry of a name. It refuses metadata with two entries of a name in another list. */
const overridden = new Set(["sources", "tables", "functions", "rest_endpoints"]);
const unexamined = new Set(["permissions", "queries", "logical_models", "native_queries"]);

/** Entries of lists whose name an earlier entry of the list has. */
function repeated(value: unknown, at: MergedPath): readonly Found[] {
  if (typeof value !== "object" || value === null) return [];
  const below = Object.entries(value).flatMap(([key, item]) =>
    repeated(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  const list = String(at.at(-1));
  const nameOf = unexamined.has(list) ? undefined : identities[list];
  if (nameOf === undefined || !Array.isArray(value) || !value.every(isFields)) return below;
  const names = value.map((entry: Fields) => nameOf(entry));
  const result = overridden.has(list) ? "Hasura ignores the earlier one" : "Hasura rejects the metadata";
  const own = names.flatMap((name, index): readonly Found[] =>
    name !== "undefined" && names.indexOf(name) < index
      ? [{ at: [...at, index], name, reason: `${list} has ${name} twice: ${result}` }]
      : [],
  );
  return [...own, ...below];
}

export const declaredTwice: Rule = {
  id: "declared-twice",
  severity: "error",
  finds: "two declarations of the same table, function, permission, relationship, action or other object",
  why: "Hasura rejects the whole metadata. Of two equal sources, tables, functions or REST endpoints it uses the last one alone, without a message.",
  remedy: "merge the two declarations, or delete one",
  find: ({ project }) => repeated(project.loaded.merged, []),
};
