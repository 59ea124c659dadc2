import type { DeclaredAccess } from "../../declared/declared.ts";
import type { Failure, Variables } from "../observe/served.ts";

/** A name that no table, column or relationship has. */
export const unused = "no_such_name";

/** Whether a failure is that of an unknown name. `baseline` is the failure of the same document with the name `unused`. */
export function isLikeUnknown(failure: Failure, name: string, baseline: Failure | undefined): boolean {
  if (baseline === undefined) return false;
  const [message, path] = [baseline.message, baseline.path].map((text) => text.replaceAll(unused, name));
  return failure.message === message && failure.path === path && failure.code === baseline.code;
}

/** Names of tables and columns that a role may not see, in the database and in GraphQL. */
export function hiddenNames(access: Pick<DeclaredAccess, "tables" | "permission">, role: string): ReadonlySet<string> {
  const hidden = new Set<string>();
  const visible = new Set<string>();
  for (const { key, name, rootField, fields } of access.tables.values()) {
    const permission = access.permission(role, key);
    for (const table of [name, rootField]) (permission === undefined ? hidden : visible).add(table);
    for (const [column, field] of fields)
      for (const each of [column, field]) (permission?.columns.includes(column) === true ? visible : hidden).add(each);
  }
  return hidden.difference(visible);
}

/** The text of a type in messages of Postgres. A session variable has the type of its column. */
const typeName = /\b(?:type|enum|domain|range) "?[\w.]+"?/g;
const quoted = /"([^"]*)"|'([^']*)'|`([^`]*)`/g;

/** Whether a word cannot be a word of a sentence. */
const isIdentifier = (word: string) => /[_0-9]|[a-z][A-Z]/.test(word);

/** The hidden name or statement in an error: quoted, dotted or no plain word, and not said by the session. Undefined without one. */
export function revealedBy(message: string, hidden: ReadonlySet<string>, session: Variables): string | undefined {
  let rest = message.replaceAll(/x-hasura-[\w-]+/gi, "").replaceAll(typeName, "");
  for (const [name, value] of Object.entries(session))
    for (const said of [name, value, printable(value)]) if (said !== "") rest = rest.replaceAll(said, "");
  const inQuotes = [...rest.matchAll(quoted)].flatMap((found) => (found[1] ?? found[2] ?? found[3] ?? "").split("."));
  const dotted = [...rest.matchAll(/\w+(?:\.\w+)+/g)].flatMap(([path]) => path.split("."));
  const words = (rest.match(/\w+/g) ?? []).filter(isIdentifier);
  return (
    [...inQuotes, ...dotted, ...words].find((word) => hidden.has(word)) ??
    (/\b(select|where|from)\b.*\b(select|where|from)\b/i.test(rest) ? "the statement" : undefined)
  );
}

/** A value as a message repeats it: without characters that Postgres cannot store. */
const printable = (value: string): string => value.replaceAll("\0", "\uFFFD").toWellFormed();
