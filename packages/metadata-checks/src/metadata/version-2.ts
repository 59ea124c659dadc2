import type { LoadedMetadata } from "@routeql/metadata/read/load";

/** The variable with the database address for metadata without sources. */
const databaseUrl = { from_env: "HASURA_GRAPHQL_DATABASE_URL" };

/** Converts metadata of version 2 as Hasura does: its tables and functions become those of the source `default`. Other versions stay unchanged. */
export function fromVersion2(loaded: LoadedMetadata): LoadedMetadata {
  const { version, tables, functions = [], ...rest } = loaded.merged;
  if (version !== 2) return loaded;
  const source = {
    name: "default",
    kind: "postgres",
    configuration: { connection_info: { database_url: databaseUrl } },
    tables,
    functions,
  };
  return {
    ...loaded,
    merged: { ...rest, version: 3, sources: [source] },
    locate: (path) => loaded.locate(path[0] === "sources" ? path.slice(2) : path),
  };
}
