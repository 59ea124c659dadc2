import { setTimeout as sleep } from "node:timers/promises";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Credentials, CredentialSource, Verdict } from "../credentials/credentials.ts";
import { type Database, locks, type Queries, type Statement } from "../database.ts";
import { asUser, type User, userColumns, type UserRow } from "../users.ts";
import type { Directory, DirectoryAccount } from "./directory.ts";
import { foldedName } from "./folded-name.ts";

/** Minimum milliseconds of a failure: hides that a wrong password takes longer than an unknown name, which needs no query. */
const failureFloor = 400;

export class DirectoryLogin implements CredentialSource {
  readonly provider = "ldap";
  readonly #directory: Directory;
  readonly #accounts: DirectoryAccounts;

  constructor(directory: Directory, accounts: DirectoryAccounts) {
    this.#directory = directory;
    this.#accounts = accounts;
  }

  foldedName(name: string): string {
    return foldedName(name);
  }

  /** No limit here: the directory's connections limit these logins, so that none takes the slot of a local login. */
  admit<Result>(login: () => Promise<Result>): Promise<Result> {
    return login();
  }

  async verify({ name, password }: Credentials, client: string): Promise<Verdict> {
    // Runs concurrently with the login; only a rejection waits for its end.
    const rejectAfter = sleep(failureFloor);
    const account = await this.#directory.authenticate(name, password, client);
    if (account === undefined) return { right: false, rejectAfter, account: async () => undefined };
    return {
      right: true,
      rejectAfter,
      account: async () => ({ ...(await this.#accounts.keep(account)), passwordHash: null }),
    };
  }

  /** The user's current state in the directory; undefined if the account is deleted or inactive. */
  async current(user: User): Promise<User | undefined> {
    const account = await this.#directory.lookUp(directoryId(user));
    return account === undefined ? undefined : this.#accounts.keep(account);
  }
}

const prefix = "ldap-";

const byId: Statement = {
  name: "directory-account-by-id",
  text: `select ${userColumns} from auth.users where id = $1`,
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

/** Accounts of the directory in auth.users, with their own provider and ids. Only `disabled` is local: an operator can lock one. */
export class DirectoryAccounts {
  readonly #database: Database;
  readonly #audit: AuditTrail;

  constructor(database: Database, audit: AuditTrail) {
    this.#database = database;
    this.#audit = audit;
  }

  /** Records a change of the role, or fails without the change. */
  async keep(account: DirectoryAccount): Promise<User> {
    const current = await find(this.#database, account);
    if (current !== undefined && isAsKept(current, account)) return current;
    return this.#database.locked(locks.directoryAccounts, async (queries) => {
      const before = await find(queries, account);
      const after = await store(queries, account);
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

async function find(queries: Queries, { id }: DirectoryAccount): Promise<User | undefined> {
  const [row] = await queries.query<UserRow>(byId, [prefix + id]);
  return row === undefined ? undefined : asUser(row);
}

async function store(
  queries: Queries,
  { id: directoryId, email, name, role, organisation }: DirectoryAccount,
): Promise<User> {
  const id = prefix + directoryId;
  if (organisation !== undefined) await queries.query(addOrganisation, [organisation]);
  await queries.query(releaseEmail, [id, email]);
  const [row] = await queries.query<UserRow>(upsert, [id, email, name, role, organisation ?? null]);
  return asUser(row!);
}

function isAsKept(user: User, { email, name, role, organisation }: DirectoryAccount): boolean {
  return (
    user.email === email && user.name === name && user.role === role && user.organisationId === (organisation ?? null)
  );
}

function directoryId(user: User): string {
  return user.id.slice(prefix.length);
}
