import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { loginOf } from "@routeql/database/migrate/roles";
import type { OpenedDatabase } from "@routeql/database-access/opened-database";
import { Failure, messageOf } from "@routeql/host/failure";
import type { DatabaseReach, DatabaseRole } from "../pulumi/outputs.ts";
import { openClientPrograms } from "./client-programs.ts";
import { type ClientPrograms, runProgram } from "../place/programs.ts";
import { encryption, isServersChoice } from "../place/connection-settings.ts";
import { RelaySocket } from "./postgres-socket.ts";

const isEncrypted = "select coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false)";

/** The address with what libpq and the server agree on: the relay cannot ask the server before it encrypts. */
export async function decided(programs: ClientPrograms, role: DatabaseRole): Promise<DatabaseReach> {
  if (!isServersChoice(programs.reach)) return programs.reach;
  const output = new PassThrough();
  const answer = text(output);
  const psql = ["psql", "--no-psqlrc", "--tuples-only", "--no-align", "--command", isEncrypted];
  await runProgram(programs, role, psql, { output }, "Connecting to the database").finally(() => output.end());
  return { ...programs.reach, sslmode: (await answer).trim() === "t" ? "require" : "disable" };
}

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
  const config = {
    ...encryption(await decided(programs, role)),
    stream: () => socket,
    user: loginOf(role, database.secondLogins),
  };
  return { config: { ...config, password: databasePasswords[role] }, close };
}
