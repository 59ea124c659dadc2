/** Roles of RouteQL, those with the fewest rights first. The engine's own role `admin` is not one of them, so no token can carry it. */
export const applicationRoles = ["pending", "tenant", "viewer", "analyst", "operator"] as const;

export type ApplicationRole = (typeof applicationRoles)[number];

/** Form of the roles that an operator's metadata may add; the database checks it, too. */
export const isRoleName = (value: string): boolean => /^(?!admin$)[a-z][a-z0-9_-]{0,62}$/.test(value);
