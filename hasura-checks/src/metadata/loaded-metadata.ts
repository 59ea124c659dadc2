import { objectAround } from "@routeql/engine/metadata-api/inconsistencies";
import type { LoadedMetadata, MergedPath } from "@routeql/metadata/read/load";
import { withoutAll } from "@routeql/metadata/read/validate";

/** Metadata without the objects around these places; positions stay. A place outside any object, such as a file, is not removed. */
export function withoutObjects(loaded: LoadedMetadata, places: readonly MergedPath[]): LoadedMetadata {
  const paths = places.map(objectAround).filter((path) => path.length > 0);
  if (paths.length === 0) return loaded;
  const removed = new Map<string, Set<number>>();
  for (const path of paths) {
    const index = path.at(-1);
    if (typeof index !== "number") continue;
    const list = JSON.stringify(path.slice(0, -1));
    removed.set(list, (removed.get(list) ?? new Set()).add(index));
  }
  const original = (path: MergedPath): MergedPath => {
    const before: (string | number)[] = [];
    for (const part of path) {
      let index = part;
      const gone =
        typeof part === "number"
          ? [...(removed.get(JSON.stringify(before)) ?? [])].toSorted((one, other) => one - other)
          : [];
      for (const position of gone) if (typeof index === "number" && position <= index) index += 1;
      before.push(index);
    }
    return before;
  };
  return {
    ...loaded,
    merged: withoutAll(loaded.merged, paths) as LoadedMetadata["merged"],
    locate: (path) => loaded.locate(original(path)),
  };
}

/** The variable with the database address for metadata without sources. */
const databaseUrl = { from_env: "HASURA_GRAPHQL_DATABASE_URL" };

const configuration = { connection_info: { database_url: databaseUrl } };

/** Metadata whose sources around these places have a valid configuration, so that their tables are examined. */
export function withConfigurations(loaded: LoadedMetadata, places: readonly MergedPath[]): LoadedMetadata {
  const broken = new Set(places.map(([, index]) => index));
  const { sources } = loaded.merged;
  if (broken.size === 0 || !Array.isArray(sources)) return loaded;
  const valid = sources.map((source: unknown, index) =>
    broken.has(index) ? { ...(source as object), configuration } : source,
  );
  return { ...loaded, merged: { ...loaded.merged, sources: valid } };
}

/** Converts metadata of version 2 as Hasura does: its tables and functions become those of the source `default`. Other versions stay unchanged. */
export function fromVersion2(loaded: LoadedMetadata): LoadedMetadata {
  const { version, tables, functions = [], ...rest } = loaded.merged;
  if (version !== 2) return loaded;
  const source = { name: "default", kind: "postgres", configuration, tables, functions };
  const merged = { ...rest, version: 3, sources: [source] };
  return { ...loaded, merged, locate: (path) => loaded.locate(path[0] === "sources" ? path.slice(2) : path) };
}
