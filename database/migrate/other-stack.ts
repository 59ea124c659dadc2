import { type Client, DatabaseError } from "pg";
import { connectionTo, connectWhenReady } from "./connect.ts";
import { loginRole } from "./roles.ts";
import type { MigrateSettings } from "./settings.ts";

const wrongPassword = "28P01";

/**
 * Roles belong to the server: the job of a second stack would overwrite their passwords and lock out the first stack's services.
 * @throws when the server has another database of the kit's owner that this job's password cannot open
 */
export async function refuseOtherStack(client: Client, settings: MigrateSettings): Promise<void> {
  const user = loginRole("owner");
  const { rows } = await client.query<{ name: string }>(
    "select datname as name from pg_database where pg_get_userbyid(datdba) = $1 and datname <> $2 and datallowconn order by 1 limit 1",
    [user, settings.database],
  );
  const other = rows[0]?.name;
  if (other === undefined) return;
  try {
    const owner = await connectWhenReady(
      connectionTo(settings, { user, password: settings.passwords.owner }, other),
      settings.waitSeconds,
    );
    await owner.end();
  } catch (error) {
    const { cause } = error as Error;
    if (!(cause instanceof DatabaseError) || cause.code !== wrongPassword) throw error;
    throw new Error(
      `The server has a database of another stack, ${other}. Roles belong to the whole server, and that stack's services could no longer log in. Use a separate server for each stack, or give ${other} another owner if nothing uses it.`,
      { cause: error },
    );
  }
}
