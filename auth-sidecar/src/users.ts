import { isRoleName } from "@routeql/contract/roles";
import { batch, sharedWidely } from "./batch.ts";
import { Unavailable } from "./errors.ts";
import type { Queries, Statement } from "./database.ts";

/** Source of an account. Accounts of different providers are separate, even with the same e-mail address. */
export type Provider = "local" | "ldap";

export interface User {
  readonly id: string;
  readonly provider: Provider;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly organisationId: string | null;
  readonly disabled: boolean;
}

/** True when the account may have tokens. */
export function hasAccess(user: User): boolean {
  return !user.disabled && user.role !== "pending";
}

/** Why an account gets no token; undefined stands for a deleted account. */
export function whyNoAccess(user: User | undefined): "deleted" | "disabled" | "pending" {
  if (user === undefined) return "deleted";
  return user.disabled ? "disabled" : "pending";
}

/** A row of auth.users, as {@link userColumns} select it. */
export interface UserRow {
  id: string;
  provider: string;
  email: string;
  name: string;
  role: string;
  organisation_id: string | null;
  disabled: boolean;
}

export const userColumns = "id, provider, email, name, role, organisation_id, disabled";

export function asUser(row: UserRow): User {
  if (!isRoleName(row.role)) throw new Error(`user ${row.id} has a role that the application does not know`);
  return {
    id: row.id,
    provider: row.provider as Provider,
    email: row.email,
    name: row.name,
    role: row.role,
    organisationId: row.organisation_id,
    disabled: row.disabled,
  };
}

export interface UserWithPassword extends User {
  /** Argon2id in PHC format; null for an account without a password here. */
  readonly passwordHash: string | null;
}

// One statement, so that an unknown account takes the same time as a known one.
const byEmail: Statement = {
  name: "user-by-email",
  text: `
    select exists (select from auth.users where provider = $1) as present, ${userColumns}, password_hash
    from (select) as always left join auth.users on provider = $1 and lower(email) = $2`,
};
const byIds: Statement = {
  name: "users-by-id",
  text: `select ${userColumns} from auth.users where id = any($1::text[])`,
};
const renewPassword: Statement = {
  name: "user-renew-password",
  text: "update auth.users set password_hash = $3, updated_at = now() where id = $1 and password_hash = $2 returning id",
};

type FoundRow = { present: boolean } & (({ id: string; password_hash: string | null } & UserRow) | { id: null });

export class UserRepository {
  readonly #queries: Queries;
  /** The account with this id, or undefined; concurrent lookups share a statement. */
  readonly findById: (id: string) => Promise<User | undefined>;

  constructor(queries: Queries) {
    this.#queries = queries;
    this.findById = batch(
      async (ids: readonly string[]) => {
        const rows = await queries.query<UserRow>(byIds, [[...new Set(ids)]]);
        const users = new Map(rows.map((row) => [row.id, asUser(row)]));
        return ids.map((id) => users.get(id));
      },
      { ...sharedWidely, name: byIds.name },
    );
  }

  /** @param email in lower case @throws {Unavailable} while the provider has no account: the database then waits for its data */
  async findByEmail(provider: Provider, email: string): Promise<UserWithPassword | undefined> {
    // Postgres text cannot contain U+0000, so no account has it, and the statement would fail.
    if (email.includes("\0")) return undefined;
    const [row] = await this.#queries.query<FoundRow>(byEmail, [provider, email]);
    if (row?.present !== true)
      throw new Unavailable(
        "accounts",
        new Error(`auth.users has no ${provider} account, as on a new volume: restore a backup (npm run restore)`),
      );
    return row.id === null ? undefined : { ...asUser(row), passwordHash: row.password_hash };
  }

  /** Replaces a hash. False when it is no longer `current`; then nothing changes. */
  async renewPasswordHash(id: string, current: string, renewed: string): Promise<boolean> {
    return (await this.#queries.query(renewPassword, [id, current, renewed])).length > 0;
  }
}
