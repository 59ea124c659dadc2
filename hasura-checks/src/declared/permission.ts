/** Operations on rows. Each has its own root field in `query` or `subscription`. */
export const operations = [
  "query",
  "query by key",
  "query aggregate",
  "live query",
  "live query by key",
  "live aggregate",
  "stream",
] as const;
export type Operation = (typeof operations)[number];

/** A condition in the form of the metadata. */
export type Filter = Readonly<Record<string, unknown>>;

export interface DeclaredPermission {
  readonly role: string;
  readonly table: string;
  /** Names in the database, sorted. */
  readonly columns: readonly string[];
  /** Columns and computed fields of an inherited role that are null in rows where the condition does not hold. */
  readonly cells: ReadonlyMap<string, Filter>;
  /** Computed fields with a scalar result. */
  readonly computedFields: readonly string[];
  readonly filter: Filter;
  /** Most rows of one list; undefined = no limit. */
  readonly limit: number | undefined;
  readonly aggregates: boolean;
  readonly operations: ReadonlySet<Operation>;
}

export class UnderivableMetadata extends Error {}

/** Fails with a reason. @throws UnderivableMetadata */
export function underivable(what: string): never {
  throw new UnderivableMetadata(what);
}
