/** Whether a value is null, or a list or object with only such values. The Hasura CLI writes them for unused features. */
export function isDeepEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.values(value).every(isDeepEmpty);
}
