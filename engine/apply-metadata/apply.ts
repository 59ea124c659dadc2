import { isDeepStrictEqual } from "node:util";
import { loadMetadata } from "@routeql/metadata/read/load";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { type Metadata, MetadataApi, Refusal } from "./metadata-api.ts";

/** Attempts while other clients store metadata in between. */
const attempts = 5;

/**
 * Stores the metadata `wanted` in one step, and verifies it by reading it back. It always stores: an engine exports its own completion of
 * a document, so a comparison before cannot prove that a key was not removed. The engine also reads its databases again in that step.
 * @returns a description of the result
 * @throws {Refusal} with every problem, when the metadata does not match the databases: the stored metadata is then unchanged
 * @throws when the engine lost a value: it then has its former metadata again
 */
export async function apply(api: MetadataApi, wanted: Metadata): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const former = await api.export();
    try {
      await api.replace(wanted, former.version);
    } catch (error) {
      if (error instanceof Refusal && error.code === "conflict" && attempt < attempts) continue;
      throw error;
    }
    const stored = await api.export();
    const lost = lostValues(wanted, stored.metadata);
    if (lost.length === 0) {
      const same = isDeepStrictEqual(former.metadata, stored.metadata);
      return `stored as version ${stored.version}, ${same ? "equal to the former one" : "with changes"}`;
    }
    await api.replace(former.metadata, stored.version);
    throw new Error(
      [
        "The engine stored metadata that differs from the given metadata. It has its former metadata again. Correct these places:",
        ...lost.map((path) => `  ${path}`),
      ].join("\n"),
    );
  }
}

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => typeof value === "object" && value !== null && !Array.isArray(value);

/** The metadata with one form for each meaning, and with its defaults. */
function meaning(metadata: Metadata): unknown {
  return validateMetadata(loadMetadata(metadata), { allowUnsupported: true }).metadata ?? metadata;
}

/** Places of `wanted` that the stored metadata lost. The engine adds keys and changes the order, so lists are equal item by item. */
export function lostValues(wanted: Metadata, stored: Metadata): readonly string[] {
  return lostIn(meaning(wanted), meaning(stored), "");
}

function lostIn(wanted: unknown, stored: unknown, path: string): readonly string[] {
  if (wanted === null || wanted === undefined) return [];
  if (Array.isArray(wanted)) {
    const items: readonly unknown[] = wanted;
    const others: readonly unknown[] = Array.isArray(stored) ? stored : [];
    if (!Array.isArray(stored) || items.length !== others.length) return [path];
    return items.flatMap((item, index) => {
      if (others.some((other) => lostIn(item, other, "").length === 0)) return [];
      const place = `${path}[${index}]`;
      const named = others.find((other) => isDeepStrictEqual(identity(other), identity(item)));
      return named === undefined ? [place] : lostIn(item, named, place);
    });
  }
  if (!isTree(wanted)) {
    // In filters, Hasura adds the schema to the name of a table.
    const same = isDeepStrictEqual(wanted, stored) || isDeepStrictEqual({ schema: "public", name: wanted }, stored);
    return same ? [] : [path];
  }
  // An empty object says nothing: Hasura omits it.
  const other = stored ?? {};
  if (!isTree(other)) return [path];
  return Object.entries(wanted).flatMap(([key, value]) =>
    // Hasura replaces `$or`, the older spelling of an operator, by `_or`.
    lostIn(value, other[key] ?? other[key.replace(/^\$/, "_")], path === "" ? key : `${path}.${key}`),
  );
}

const identity = (item: unknown): unknown =>
  isTree(item) ? (item["name"] ?? item["table"] ?? item["role"] ?? item["role_name"] ?? item["function"]) : item;

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
