import type { LoadedMetadata } from "@routeql/metadata/read/load";

/** The variable that the address of the one database is in, where metadata name no sources. */
const databaseUrl = { from_env: "HASURA_GRAPHQL_DATABASE_URL" };

/** Metadata of version 2, without sources, as Hasura reads them: its tables and functions are those of the source `default`. Others stay as they are. */
export function fromVersion2(loaded: LoadedMetadata): LoadedMetadata {
  const { version, tables, functions = [], ...rest } = loaded.merged;
  if (version !== 2) return loaded;
  const source = { name: "default", kind: "postgres", configuration: { connection_info: { database_url: databaseUrl } }, tables, functions };
  return {
    ...loaded,
    merged: { ...rest, version: 3, sources: [source] },
    locate: (path) => loaded.locate(path[0] === "sources" ? path.slice(2) : path),
  };
}
