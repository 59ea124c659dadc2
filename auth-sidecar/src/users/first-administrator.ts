import { randomBytes } from "node:crypto";
import { type Database, locks, type Statement } from "../database/database.ts";

const anyUser: Statement = { name: "any-user", text: "select exists (select from auth.users) as found" };
const insert: Statement = {
  name: "insert-first-administrator",
  text: `
    insert into auth.users (id, provider, email, name, password_hash, role)
    values ($1, 'local', $2, 'Administrator', $3, 'operator')`,
};

/**
 * Creates the first account, with role `operator`, if there is none. Concurrent replicas create it once.
 * @param hashPassword called only when the account is created
 * @returns the new account's id, or undefined when an account existed
 */
export async function createFirstAdministrator(
  database: Database,
  email: string,
  hashPassword: () => Promise<string>,
): Promise<string | undefined> {
  const [before] = await database.query<{ found: boolean }>(anyUser);
  if (before?.found === true) return undefined;
  const passwordHash = await hashPassword();
  return database.locked(locks.firstAdministrator, async (queries) => {
    const [row] = await queries.query<{ found: boolean }>(anyUser);
    if (row?.found === true) return undefined;
    const id = newUserId();
    await queries.query(insert, [id, email.toLowerCase(), passwordHash]);
    return id;
  });
}

/** 96 random bits in 24 characters without special meaning in URLs or command lines. */
export function newUserId(): string {
  return randomBytes(12).toString("hex");
}
