import type { Database, Statement } from "../database/database.ts";
import type { User } from "../users/user.ts";
import type { DirectoryAccount } from "./directory.ts";

const prefix = "ldap-";

const addOrganisation: Statement = {
  name: "directory-organisation",
  text: "insert into auth.organisations (id, name) values ($1, $1) on conflict do nothing",
};
// The address moved to another entry of the directory: the account that had it keeps its id and loses the address.
const releaseEmail: Statement = {
  name: "directory-release-email",
  text: `
    update auth.users set email = id || ':' || email, updated_at = now()
    where provider = 'ldap' and lower(email) = lower($2) and id <> $1`,
};
const upsert: Statement = {
  name: "directory-account",
  text: `
    insert into auth.users as account (id, provider, email, name, role, organisation_id) values ($1, 'ldap', $2, $3, $4, $5)
    on conflict (id) do update set email = $2, name = $3, role = $4, organisation_id = $5, updated_at = now()
      where (account.email, account.name, account.role, account.organisation_id) is distinct from ($2, $3, $4, $5)`,
};
const disabledById: Statement = { name: "directory-disabled", text: "select disabled from auth.users where id = $1" };

/**
 * Keeps the account in auth.users as the directory has it, under a provider and an id of its own, so that it never meets a
 * local account of the same address. Only `disabled` is this side's: an operator can shut out whom the directory lets in.
 */
export async function keepDirectoryAccount(
  database: Database,
  { id: directoryId, email, name, role, organisation }: DirectoryAccount,
): Promise<User> {
  const id = prefix + directoryId;
  if (organisation !== undefined) await database.query(addOrganisation, [organisation]);
  await database.query(releaseEmail, [id, email]);
  await database.query(upsert, [id, email, name, role, organisation ?? null]);
  const [row] = await database.query<{ disabled: boolean }>(disabledById, [id]);
  return { id, provider: "ldap", email, name, role, organisationId: organisation ?? null, disabled: row?.disabled ?? true };
}

/** The directory's own id of an account. */
export function directoryId(user: User): string {
  return user.id.slice(prefix.length);
}
