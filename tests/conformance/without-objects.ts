import type { Json } from "./json.ts";
import { objectLists } from "./sources.ts";

/** Place of something in merged metadata, such as `["sources", 0, "tables", 2, "select_permissions", 1, "permission"]`. */
export type ObjectPath = readonly (string | number)[];

/** Keys of a table's entry under which columns are named one by one. */
const byColumn = new Set(["column_config", "custom_column_names"]);

/** The object that goes when what stands at a place does not fit: the last entry of a list, or the configuration of a column. */
function ownerOf([root, source, kind, index, ...further]: ObjectPath): ObjectPath {
  if (root !== "sources" || kind === undefined || !(objectLists as readonly ObjectPath[number][]).includes(kind) || typeof index !== "number") return [root, source].filter((part) => part !== undefined);
  const [key, inner, column] = further;
  const above = [root, source ?? 0, kind, index];
  if (key === "configuration" && byColumn.has(String(inner)) && column !== undefined) return [...above, key, String(inner), column];
  return typeof key === "string" && typeof inner === "number" ? [...above, key, inner] : above;
}

/** Metadata without the objects at these places. */
export function withoutObjects(metadata: Json, paths: readonly ObjectPath[]): Json {
  const result = structuredClone(metadata);
  const owners = new Map(paths.map((path) => [JSON.stringify(ownerOf(path)), ownerOf(path)]));
  const gone: { readonly list: unknown[]; readonly item: unknown }[] = [];
  for (const owner of owners.values()) {
    const above = owner.slice(0, -1).reduce<unknown>((value, part) => (value as Json | undefined)?.[part], result);
    const last = owner.at(-1);
    if (last === undefined || typeof above !== "object" || above === null) continue;
    if (Array.isArray(above)) gone.push({ list: above, item: above[Number(last)] });
    else delete (above as Json)[last];
  }
  for (const { list, item } of gone) if (list.includes(item)) list.splice(list.indexOf(item), 1);
  return result;
}
