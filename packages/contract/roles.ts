/** Roles of the application. The engine's own role `admin` is not one of them, so no token can carry it. */
export const applicationRoles = ["pending", "viewer", "analyst", "tenant", "operator"] as const;

export type ApplicationRole = (typeof applicationRoles)[number];

export function isApplicationRole(value: string): value is ApplicationRole {
  return (applicationRoles as readonly string[]).includes(value);
}
