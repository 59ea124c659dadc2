/** Metadata whose permissions cannot be derived. */
export class UnderivableMetadata extends Error {}

/** Fails with what cannot be told. @throws UnderivableMetadata */
export function underivable(what: string): never {
  throw new UnderivableMetadata(what);
}
