import { type LoadedMetadata, type MergedPath, type Place, valueAt } from "./load.ts";

type Keyed = Readonly<Record<string, unknown>>;

const isKeyed = (value: unknown): value is Keyed =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Keys that identify an entry of a list, the first that it has. */
const identities = ["table", "function", "role", "role_name", "collection", "name"] as const;

function identityOf(entry: unknown): string | undefined {
  if (!isKeyed(entry)) return undefined;
  const value = identities.map((key) => entry[key]).find((found) => found !== undefined);
  if (value === undefined) return undefined;
  const { schema = "public", name } = isKeyed(value) ? value : { name: value };
  return JSON.stringify([schema, name]);
}

/** Lists whose entries are merged. An entry of another list replaces the one with its identity as a whole: half a permission has no meaning. */
const mergedLists: ReadonlySet<string> = new Set(["sources", "tables"]);

/** Called with each value that is built from one of the base and one of the additions. */
type Built = (value: object, base: object, own: object) => void;

function mergeLists(base: readonly unknown[], own: readonly unknown[], key: string, built: Built): readonly unknown[] {
  const added = new Map(own.map((entry) => [identityOf(entry), entry]));
  if (added.has(undefined)) return own;
  const kept = base.map((entry) => {
    const identity = identityOf(entry);
    const other = added.get(identity);
    added.delete(identity);
    if (other === undefined) return entry;
    return mergedLists.has(key) ? mergeValues(entry, other, key, built) : other;
  });
  return [...kept, ...added.values()];
}

function mergeValues(base: unknown, own: unknown, key: string, built: Built): unknown {
  if (Array.isArray(base) && Array.isArray(own)) {
    const list = mergeLists(base, own, key, built);
    if (list !== own) built(list, base, own);
    return list;
  }
  return isKeyed(base) && isKeyed(own) ? mergeKeyed(base, own, built) : own;
}

function mergeKeyed(base: Keyed, own: Keyed, built: Built): Keyed {
  const changed = Object.entries(own).map(([key, value]) => [
    key,
    base[key] === undefined ? value : mergeValues(base[key], value, key, built),
  ]);
  const merged = { ...base, ...(Object.fromEntries(changed) as Keyed) };
  built(merged, base, own);
  return merged;
}

/** Metadata with additions: an entry of `own` joins the lists of `base`, or replaces the one with the same table, role or name. */
export const mergeMetadata = (base: Keyed, own: Keyed): Keyed => mergeKeyed(base, own, () => undefined);

/** The paths of all objects and lists in a value. The first path of an object that YAML repeats by an alias. */
function pathsIn(
  value: unknown,
  path: MergedPath = [],
  found = new Map<object, MergedPath>(),
): Map<object, MergedPath> {
  if (typeof value !== "object" || value === null || found.has(value)) return found;
  found.set(value, path);
  for (const [key, item] of Object.entries(value))
    pathsIn(item, [...path, Array.isArray(value) ? Number(key) : key], found);
  return found;
}

/** Metadata with additions, which names the files of both. */
export function mergeLoaded(base: LoadedMetadata, own: LoadedMetadata): LoadedMetadata {
  const origins = new Map<object, { readonly base?: MergedPath; readonly own?: MergedPath }>();
  const [ofBase, ofOwn] = [pathsIn(base.merged), pathsIn(own.merged)];
  for (const [value, path] of ofBase) origins.set(value, { base: path });
  for (const [value, path] of ofOwn) origins.set(value, { own: path });
  const merged = mergeKeyed(base.merged, own.merged, (value, from, added) => {
    const [first, second] = [ofBase.get(from), ofOwn.get(added)];
    origins.set(value, { ...(first && { base: first }), ...(second && { own: second }) });
  });
  const locate = (path: MergedPath): Place => {
    let depth = path.length;
    while (depth > 0 && !origins.has(valueAt(merged, path.slice(0, depth)) as object)) depth -= 1;
    const origin = origins.get(valueAt(merged, path.slice(0, depth)) as object) ?? {};
    const rest = path.slice(depth);
    const [key] = rest;
    const isOwn =
      origin.own !== undefined &&
      (origin.base === undefined || key === undefined || valueAt(own.merged, [...origin.own, key]) !== undefined);
    return isOwn ? own.locate([...origin.own, ...rest]) : base.locate([...(origin.base ?? []), ...rest]);
  };
  return { merged, problems: [...base.problems, ...own.problems], locate };
}
