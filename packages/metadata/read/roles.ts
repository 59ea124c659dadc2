/** Roles of all permissions in the metadata or a part of it, including unsupported ones. */
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

/** A contained role without a limit does not remove the limits of the others. */
export function largest(limits: readonly (number | undefined)[]): number | undefined {
  const given = limits.filter((limit) => limit !== undefined);
  return given.length === 0 ? undefined : Math.max(...given);
}
