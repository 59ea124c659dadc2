import type { Client } from "pg";
import { loginRole } from "./roles.ts";
import type { RoleName } from "./settings.ts";

/** Roles whose objects the job makes itself, or gives away. */
const actedFor: readonly RoleName[] = ["owner", "metadata"];

/** Whether the login may do everything; the administrators that providers of databases give may not. */
export async function isSuperuser(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ super: boolean }>("select rolsuper as super from pg_roles where rolname = current_user");
  return rows[0]?.super === true;
}

/**
 * Lets an administrator who is no superuser act for the roles that own the database and its schemas: Postgres 16 and newer give
 * whoever makes a role only the right to say who is in it.
 */
export async function actForOwners(client: Client): Promise<void> {
  if (await isSuperuser(client)) return;
  await client.query(`grant ${actedFor.map(loginRole).join(", ")} to current_user`);
}
