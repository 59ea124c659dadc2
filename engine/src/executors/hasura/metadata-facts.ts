import { loadMetadata } from "@routeql/metadata/read/load";

/** Stands for a list without a limit. Unlike with Infinity, no product of it is undefined. */
export const unlimitedRows = 1e9;

/** Facts of the metadata that the front uses. */
export interface MetadataFacts {
  /** Names of the fields that return related rows as a list, in any table. */
  readonly arrayRelationships: ReadonlySet<string>;
  /** Largest row limit of each role's tables. */
  readonly rowLimits: ReadonlyMap<string, number>;
}

/** @param directory of metadata; nothing is known without one */
export function readFacts(directory: string | undefined): MetadataFacts {
  const facts = { arrayRelationships: new Set<string>(), rowLimits: new Map<string, number>() };
  if (directory !== undefined) collect(loadMetadata(directory).merged, facts);
  return facts;
}

type Entries = readonly {
  readonly name?: string;
  readonly role?: string;
  readonly permission?: { readonly limit?: number | null };
}[];

function collect(value: unknown, facts: { arrayRelationships: Set<string>; rowLimits: Map<string, number> }): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    collect(below, facts);
    if (!Array.isArray(below)) continue;
    if (key === "array_relationships")
      for (const { name } of below as Entries) if (name !== undefined) facts.arrayRelationships.add(name);
    if (key === "select_permissions")
      for (const { role = "", permission } of below as Entries)
        facts.rowLimits.set(role, Math.max(facts.rowLimits.get(role) ?? 0, permission?.limit ?? unlimitedRows));
  }
}
