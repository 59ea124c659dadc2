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

function mergeLists(base: readonly unknown[], own: readonly unknown[], key: string): readonly unknown[] {
  const added = new Map(own.map((entry) => [identityOf(entry), entry]));
  if (added.has(undefined)) return own;
  const kept = base.map((entry) => {
    const identity = identityOf(entry);
    const other = added.get(identity);
    added.delete(identity);
    if (other === undefined) return entry;
    return mergedLists.has(key) ? mergeValues(entry, other, key) : other;
  });
  return [...kept, ...added.values()];
}

function mergeValues(base: unknown, own: unknown, key: string): unknown {
  if (Array.isArray(base) && Array.isArray(own)) return mergeLists(base, own, key);
  return isKeyed(base) && isKeyed(own) ? mergeMetadata(base, own) : own;
}

/** Metadata with additions: an entry of `own` joins the lists of `base`, or replaces the one with the same table, role or name. */
export function mergeMetadata(base: Keyed, own: Keyed): Keyed {
  const changed = Object.entries(own).map(([key, value]) => [
    key,
    base[key] === undefined ? value : mergeValues(base[key], value, key),
  ]);
  return { ...base, ...(Object.fromEntries(changed) as Keyed) };
}
