import type { AuditTrail } from "../audit/audit-trail.ts";
import { type Database, locks, type Queries, type Statement } from "../database.ts";
import { asUser, type User, userColumns, type UserRow } from "../users.ts";
import type { DirectoryAccount } from "./directory.ts";

const prefix = "ldap-";

/** The directory's id of an account. */
export const directoryId = (userId: string): string => userId.slice(prefix.length);

const byId: Statement = {
  name: "directory-account-by-id",
  text: `select ${userColumns} from auth.users where id = $1`,
};
const byEmail: Statement = {
  name: "directory-account-by-email",
  text: `select ${userColumns} from auth.users where provider = 'ldap' and lower(email) = lower($1)`,
};
const addOrganisation: Statement = {
  name: "directory-organisation",
  text: "insert into auth.organisations (id, name) values ($1, $1) on conflict do nothing",
};
// The address moved to another entry of the directory: its former account keeps its id and loses the address.
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
    returning ${userColumns}`,
};
const withdraw: Statement = {
  name: "directory-withdraw",
  text: "update auth.users set role = 'pending', updated_at = now() where id = $1",
};
const changedSinceLogin: Statement = {
  name: "directory-password-changed",
  text: "select last_login < $2::timestamptz as changed from auth.users where id = $1",
};
const withTokens: Statement = {
  name: "directory-accounts-with-tokens",
  text: `
    select ${userColumns} from auth.users as account where provider = 'ldap' and role <> 'pending' and not disabled and exists (
      select from auth.audit_events where user_id = account.id and event = 'token' and occurred_at > now() - $1 * interval '1 s')`,
};

/** Whether an account of the directory still has an address. */
export type HasAddress = (id: string, email: string) => Promise<boolean>;

/** Accounts of the directory in auth.users, with their own provider and ids. Only `disabled` is local: an operator can lock one. */
export class DirectoryAccounts {
  readonly #database: Database;
  readonly #audit: AuditTrail;
  readonly #toleranceSeconds: number;

  /** @param toleranceSeconds by which the clock of the directory may be ahead of the database's */
  constructor(database: Database, audit: AuditTrail, toleranceSeconds: number) {
    this.#database = database;
    this.#audit = audit;
    this.#toleranceSeconds = toleranceSeconds;
  }

  /** The directory's id of the account that uses an address. */
  async owner(email: string): Promise<string | undefined> {
    if (email.includes("\0")) return undefined;
    const [row] = await this.#database.query<UserRow>(byEmail, [email]);
    return row === undefined ? undefined : directoryId(row.id);
  }

  /** The accounts with a token from the last `seconds`. */
  async withTokens(seconds: number): Promise<User[]> {
    return (await this.#database.query<UserRow>(withTokens, [seconds])).map(asUser);
  }

  /** Records a change of the role, or fails without the change. @param hasAddress asked when another account uses the address */
  async keep(account: DirectoryAccount, hasAddress: HasAddress): Promise<User> {
    const current = await find(this.#database, prefix + account.id);
    const email = current?.email;
    // An account with several addresses keeps the one by which it is known.
    const kept = account.emails.find((one) => one === email || one === addressOf(email)) ?? account.emails[0];
    if (current !== undefined && isAsKept(current, account)) return current;
    const holder = await this.owner(kept);
    const taken = holder !== undefined && holder !== account.id && (await hasAddress(holder, kept));
    return this.#changed(prefix + account.id, (queries, id) => store(queries, id, account, kept, taken));
  }

  /** Whether an account's password has changed since its last login. */
  async hasNewPassword({ id, passwordChanged }: DirectoryAccount): Promise<boolean> {
    if (passwordChanged === undefined) return false;
    const [row] = await this.#database.query<{ changed: boolean | null }>(changedSinceLogin, [
      prefix + id,
      // A directory whose clock is ahead would otherwise end the session of the first login after the change.
      new Date(passwordChanged.getTime() - this.#toleranceSeconds * 1000),
    ]);
    return row?.changed === true;
  }

  /** Takes the rights of an account that the directory no longer has: its tokens are revoked. */
  async withdraw({ id }: User): Promise<void> {
    await this.#changed(id, async (queries) => {
      await queries.query(withdraw, [id]);
      return (await find(queries, id))!;
    });
  }

  #changed(id: string, change: (queries: Queries, id: string) => Promise<User>): Promise<User> {
    return this.#database.locked(locks.directoryAccounts, async (queries) => {
      const before = await find(queries, id);
      const after = await change(queries, id);
      if (before !== undefined && before.role !== after.role) {
        const detail = { from: before.role, to: after.role, by: "directory" };
        await this.#audit.recordWith(queries, {
          event: "role-changed",
          outcome: "success",
          userId: after.id,
          provider: "ldap",
          detail,
        });
      }
      return after;
    });
  }
}

async function find(queries: Queries, id: string): Promise<User | undefined> {
  const [row] = await queries.query<UserRow>(byId, [id]);
  return row === undefined ? undefined : asUser(row);
}

/** The address behind the id of an account whose address another account uses. */
const addressOf = (email: string | undefined): string | undefined => email?.slice(email.indexOf(":") + 1);

async function store(
  queries: Queries,
  id: string,
  { name, role, organisation }: DirectoryAccount,
  email: string,
  taken: boolean,
): Promise<User> {
  if (organisation !== undefined) await queries.query(addOrganisation, [organisation]);
  if (!taken) await queries.query(releaseEmail, [id, email]);
  const [row] = await queries.query<UserRow>(upsert, [
    id,
    taken ? `${id}:${email}` : email,
    name,
    role,
    organisation ?? null,
  ]);
  return asUser(row!);
}

function isAsKept(user: User, { emails, name, role, organisation }: DirectoryAccount): boolean {
  return (
    emails.includes(user.email) &&
    user.name === name &&
    user.role === role &&
    user.organisationId === (organisation ?? null)
  );
}
