import { loginOf } from "@routeql/database/migrate/roles";
import type { OpenedDatabase } from "@routeql/database-access/opened-database";
import { Failure, messageOf } from "@routeql/host/failure";
import type { DatabaseRole } from "../stack/outputs.ts";
import { openClientPrograms } from "./client-programs.ts";
import { encryption } from "./connection-settings.ts";
import { RelaySocket } from "./postgres-socket.ts";

/** Connects to a running stack's database, which publishes no port: from its container or pod, or beside the stack. @throws Failure */
export async function openDatabase(stack: string, role: DatabaseRole): Promise<OpenedDatabase> {
  const programs = await openClientPrograms(stack);
  const { database, databasePasswords } = programs.values;
  const socket = new RelaySocket(programs.as(role));
  const close = async (): Promise<void> => {
    socket.destroy();
    await programs[Symbol.asyncDispose]();
  };
  try {
    await socket.connected;
  } catch (error) {
    await close();
    if (error instanceof Failure) throw error;
    throw new Failure(`The database of the stack ${stack} does not accept connections: ${messageOf(error)}`, {
      remedy: `wait until the database has started (npm run logs -- --stack ${stack} database), then run this command again.`,
      cause: error,
    });
  }
  const config = { ...encryption(programs.reach), stream: () => socket, user: loginOf(role, database.secondLogins) };
  return { config: { ...config, password: databasePasswords[role] }, close };
}
