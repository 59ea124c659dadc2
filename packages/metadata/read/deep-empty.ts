/** True for null and for lists and objects that hold nothing but such: what the Hasura CLI writes for a feature that is not used. */
export function isDeepEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  return typeof value === "object" && Object.values(value).every(isDeepEmpty);
}
