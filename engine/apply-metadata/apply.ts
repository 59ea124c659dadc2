import { type Metadata, MetadataApi, Refusal } from "./metadata-api.ts";

/** Attempts while other clients store metadata in between. */
const attempts = 5;

/**
 * Stores the metadata `wanted`, and verifies it by reading it back.
 * @returns a description of the actions
 * @throws {Refusal} with every problem, when the metadata does not match the databases: the stored metadata is then unchanged
 */
export async function apply(api: MetadataApi, wanted: Metadata): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const { version, metadata } = await api.export();
    if (differences(metadata, wanted).length === 0) {
      // The databases may have changed.
      await api.reload();
      return "the stored metadata is already equal; the databases were checked again";
    }
    try {
      await api.replace(wanted, version);
    } catch (error) {
      if (error instanceof Refusal && error.code === "conflict" && attempt < attempts) continue;
      throw error;
    }
    const stored = await api.export();
    const left = differences(stored.metadata, wanted);
    if (left.length === 0) return `stored as version ${stored.version}`;
    throw new Error(
      [
        "The engine stored metadata that differs from the given metadata. They differ at:",
        ...left.map((path) => `  ${path}`),
      ].join("\n"),
    );
  }
}

/** Lists that are sets: their items have names, and the order is irrelevant. */
const sets: ReadonlySet<string> = new Set([
  "sources",
  "tables",
  "functions",
  "object_relationships",
  "array_relationships",
  "computed_fields",
  "select_permissions",
  "inherited_roles",
  "role_set",
  "columns",
  "query_root_fields",
  "subscription_root_fields",
  "allowlist",
  "query_collections",
  "permissions",
]);

/** Default value of each key. */
const defaults: Readonly<Record<string, unknown>> = {
  allow_aggregations: false,
  is_enum: false,
  isolation_level: "read-committed",
  use_prepared_statements: false,
  insertion_order: null,
  comment: "",
};

/** Keys whose empty list differs from a missing one: an empty list disables all of these fields. */
const emptyMatters: ReadonlySet<string> = new Set(["query_root_fields", "subscription_root_fields"]);

const filters: ReadonlySet<string> = new Set(["filter", "check"]);

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);
const byText = (left: unknown, right: unknown): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);

/** A filter with every object as the sorted list of its conjuncts, each an object with one key. Nothing is omitted. */
function normalFilter(filter: unknown): unknown {
  if (Array.isArray(filter)) return filter.map(normalFilter);
  if (!isTree(filter)) return filter;
  return Object.entries(filter)
    .flatMap(([key, value]) =>
      key === "_and" && Array.isArray(value) ? value.flatMap(normalFilter) : [{ [key]: normalFilter(value) }],
    )
    .sort(byText);
}

function normal(value: unknown, key: string): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, ""));
    return sets.has(key) ? items.sort(byText) : items;
  }
  if (!isTree(value)) return value;
  if (filters.has(key)) return normalFilter(value);
  const entries = Object.entries(value)
    .map(([name, item]) => [name, normal(item, name)] as const)
    .filter(([name, item]) => {
      if (item === null || item === undefined || defaults[name] === item) return false;
      if (Array.isArray(item) && item.length === 0) return emptyMatters.has(name) || filters.has(name);
      return !(isTree(item) && Object.keys(item).length === 0);
    });
  return Object.fromEntries(entries.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** A normal form in which equivalent metadata documents are equal, key by key. */
export const normalMetadata = (metadata: Tree): unknown => normal(metadata, "");

function differencesBetween(one: unknown, other: unknown, path: string): string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  if (isTree(one) && isTree(other)) {
    const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
    return keys.flatMap((key) => differencesBetween(one[key], other[key], path === "" ? key : `${path}.${key}`));
  }
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, index) => differencesBetween(item, other[index], `${path}[${index}]`));
  }
  return [path];
}

/**
 * Paths of the differences between two documents; empty when they are equivalent. Hasura stores its interpretation and returns that: keys in
 * another order, without defaults and empty lists, a conjunction with or without `_and`.
 */
export function differences(one: Tree, other: Tree): readonly string[] {
  return differencesBetween(normalMetadata(one), normalMetadata(other), "");
}

const treeOf = (value: unknown): Metadata => (typeof value === "object" && value !== null ? (value as Metadata) : {});

/** Hasura reads the pool size of a source only from its metadata: sets it for Postgres sources without one. */
export function withPoolSize(metadata: Metadata, connections: number): Metadata {
  const sources = metadata["sources"];
  if (!Array.isArray(sources)) return metadata;
  return {
    ...metadata,
    sources: sources.map((source: unknown) => {
      const { kind, configuration } = treeOf(source);
      const { connection_info: info } = treeOf(configuration);
      const { pool_settings: pool } = treeOf(info);
      if (kind !== "postgres" || treeOf(pool)["max_connections"] !== undefined) return source;
      const connectionInfo = { ...treeOf(info), pool_settings: { ...treeOf(pool), max_connections: connections } };
      return { ...treeOf(source), configuration: { ...treeOf(configuration), connection_info: connectionInfo } };
    }),
  };
}
