/** Whether each login role of the database works, as its service finds it: a service can change its own password and its own settings. */
import { LibpqClient } from "@routeql/contract/connection/client";
import { within } from "@routeql/contract/within";
import { loginOf, sessionSettings } from "@routeql/database/migrate/roles";
import { DatabaseError } from "pg";
import { type DatabaseRole, databaseRoles } from "../pulumi/outputs.ts";
import { openClientPrograms } from "./client-programs.ts";
import { encryption } from "../place/connection-settings.ts";
import { decided } from "./open-database.ts";
import { RelaySocket } from "./postgres-socket.ts";
import type { ClientPrograms } from "../place/programs.ts";

export interface RoleProblem {
  /** `routeql_engine`, or its second login. */
  readonly role: string;
  readonly reason: string;
}

/** Classes of errors by which the server, not the role, refuses: connection, resources, operator intervention (starting, stopping). */
const ofServer = /^(08|53|57P)/;

/** Milliseconds for one role. */
const patience = 20_000;

/** Settings of the login itself: in every database, and in this one alone. */
const ownSettings = `select setdatabase = 0 as general, unnest(setconfig) as setting from pg_catalog.pg_db_role_setting s
  join pg_catalog.pg_roles r on r.oid = s.setrole where r.rolname = session_user`;

/** The problem of a login's settings; undefined if they are those of the migrate job. */
export function settingsProblem(
  role: DatabaseRole,
  second: boolean,
  rows: readonly { readonly general: boolean; readonly setting: string }[],
): string | undefined {
  const wanted = sessionSettings(role, second);
  const known = new Set([...wanted.all, ...wanted.ofSuperuser]);
  const found = new Set(rows.map(({ general, setting }) => (general ? setting : `${setting} in this database`)));
  const changed =
    [...found].find((setting) => !known.has(setting)) ?? wanted.all.find((setting) => !found.has(setting));
  return changed === undefined ? undefined : `has changed settings (${changed.split("=", 1)[0]})`;
}

/** @returns why a client cannot work with a role; undefined if it can, or if the server cannot be asked */
async function problemOf(programs: ClientPrograms, role: DatabaseRole): Promise<string | undefined> {
  const { database, databasePasswords } = programs.values;
  const socket = new RelaySocket(programs.as(role));
  const client = new LibpqClient({
    ...encryption(programs.reach),
    stream: () => socket,
    user: loginOf(role, database.secondLogins),
    password: databasePasswords[role],
    application_name: "routeql up",
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  });
  client.on("error", () => undefined);
  try {
    await socket.connected;
    await client.connect();
    const { rows } = await client.query<{ general: boolean; setting: string }>(ownSettings);
    return settingsProblem(role, database.secondLogins, rows);
  } catch (error) {
    if (!(error instanceof DatabaseError) || ofServer.test(error.code ?? "")) return undefined;
    return `cannot work: ${error.message}`;
  } finally {
    await client.end().catch(() => undefined);
    socket.destroy();
  }
}

/** The roles with which no service can work; `up` repairs them by the migrate job. Empty if the database cannot be asked. */
export async function roleProblems(stack: string, signal: AbortSignal): Promise<readonly RoleProblem[]> {
  const opened = await openClientPrograms(stack, signal).catch(() => undefined);
  signal.throwIfAborted();
  if (opened === undefined) return [];
  await using programs = opened;
  const { database, databasePasswords } = programs.values;
  const reach = await decided(programs, "owner").catch(() => programs.reach);
  // Stacks of earlier versions do not list every password.
  const roles = databaseRoles.filter((role) => databasePasswords[role] !== "");
  const problems = roles.map(async (role): Promise<RoleProblem[]> => {
    const reason = await within(patience, problemOf({ ...programs, reach }, role)).catch(() => undefined);
    return reason === undefined ? [] : [{ role: loginOf(role, database.secondLogins), reason }];
  });
  const found = await Promise.all(problems);
  signal.throwIfAborted();
  return found.flat();
}
