/** Metadata whose permissions cannot be derived. */
export class UnderivableMetadata extends Error {}

/** Fails with a reason. @throws UnderivableMetadata */
export function underivable(what: string): never {
  throw new UnderivableMetadata(what);
}
