/**
 * What an interrupted run leaves behind carries the stack's label. Only such things may be taken over; a thing of the same name
 * without the
 * label, or of another stack, belongs to someone else.
 */
export const stackLabel = "com.routeql.stack";

export const labelsInput = (labels: readonly { label: string; value: string }[] | undefined): Record<string, string> =>
  Object.fromEntries((labels ?? []).map(({ label, value }) => [label, value]));

/** @throws Error naming the thing that is in the way */
export function assertOurs(
  what: string,
  name: string,
  wanted: Record<string, string>,
  found: Record<string, string> | null | undefined,
): void {
  const ours = wanted[stackLabel];
  if (ours !== undefined && found?.[stackLabel] === ours) return;
  throw new Error(`a ${what} named ${name} exists already and does not belong to this stack; remove or rename it`);
}
