import type { Metadata } from "./metadata-api.ts";

type Tree = Readonly<Record<string, unknown>>;
const treeOf = (value: unknown): Tree => (typeof value === "object" && value !== null ? (value as Tree) : {});

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
