import type { Client } from "pg";
import { loginRole } from "./roles.ts";
import type { RoleName } from "./settings.ts";

/** Roles whose objects the job creates or hands over. */
const actedFor: readonly RoleName[] = ["owner", "metadata"];

/** Whether the login is a superuser; the administrators of database providers are not. */
export async function isSuperuser(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ super: boolean }>(
    "select rolsuper as super from pg_roles where rolname = current_user",
  );
  return rows[0]?.super === true;
}

/**
 * Lets an administrator without superuser rights act for the roles that own the database and its schemas. Since Postgres 16, the
 * creator of a role only gets the right to change its members.
 */
export async function actForOwners(client: Client): Promise<void> {
  if (await isSuperuser(client)) return;
  await client.query(`grant ${actedFor.map(loginRole).join(", ")} to current_user`);
}
