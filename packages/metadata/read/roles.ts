/** Roles that some permission of metadata, or of a part of them, names; of what is not served too. */
export function rolesWithPermission(metadata: unknown): ReadonlySet<string> {
  return new Set(rolesIn(metadata, false));
}

function rolesIn(value: unknown, isPermission: boolean): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => rolesIn(item, isPermission));
  const { role } = value as { readonly role?: unknown };
  const below = Object.entries(value).flatMap(([key, item]) => rolesIn(item, key.endsWith("permissions")));
  return isPermission && typeof role === "string" ? [role, ...below] : below;
}

/** A part without a limit does not lift the limits of the others. */
export function largest(limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}
