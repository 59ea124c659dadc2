import { isApplicationRole } from "@routeql/contract/roles";
import type { Provider, User } from "./user.ts";

/** A row of auth.users, as {@link userColumns} select it. */
export interface UserRow {
  id: string;
  provider: string;
  email: string;
  name: string;
  role: string;
  organisation_id: string | null;
  disabled: boolean;
}

export const userColumns = "id, provider, email, name, role, organisation_id, disabled";

export function asUser(row: UserRow): User {
  if (!isApplicationRole(row.role)) throw new Error(`user ${row.id} has a role that the application does not know`);
  return {
    id: row.id,
    provider: row.provider as Provider,
    email: row.email,
    name: row.name,
    role: row.role,
    organisationId: row.organisation_id,
    disabled: row.disabled,
  };
}
