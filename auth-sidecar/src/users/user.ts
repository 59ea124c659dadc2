import type { ApplicationRole } from "@routeql/contract/roles";

/** Source of an account. Accounts of different providers are separate, even with the same e-mail address. */
export type Provider = "local" | "ldap";

export interface User {
  readonly id: string;
  readonly provider: Provider;
  readonly email: string;
  readonly name: string;
  readonly role: ApplicationRole;
  readonly organisationId: string | null;
  readonly disabled: boolean;
}

/** True when the account may have tokens. */
export function hasAccess(user: User): boolean {
  return !user.disabled && user.role !== "pending";
}
