import { loadMetadata } from "@routeql/metadata/read/load";

/** Names of the fields that return related rows as a list, in any table of a metadata directory; none without one. */
export function arrayRelationships(directory: string | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  if (directory === undefined) return names;
  collect(loadMetadata(directory).merged, names);
  return names;
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    collect(below, names);
    if (key !== "array_relationships" || !Array.isArray(below)) continue;
    for (const { name } of below as readonly { readonly name?: unknown }[])
      if (typeof name === "string") names.add(name);
  }
}
