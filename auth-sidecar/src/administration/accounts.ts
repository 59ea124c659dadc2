import { randomBytes } from "node:crypto";
import pg from "pg";
import { z } from "zod";
import type { AuditEventName, AuditTrail } from "../audit/audit-trail.ts";
import type { Database, Statement } from "../database.ts";
import { hashPassword } from "../passwords/password-hash.ts";
import type { SessionStore, SessionTimes } from "../sessions/session-store.ts";
import type { Provider } from "../users.ts";
import { AdministrationError } from "./command.ts";

/** An e-mail address of a local account: ASCII, so that Postgres and this service fold its case identically. */
export const emailAddress = z
  .string()
  .max(254, "must be an e-mail address")
  .regex(/^[\x21-\x7e]+$/, "must be an e-mail address")
  .pipe(z.email("must be an e-mail address"));

/** An account as an operator sees it. */
export interface Account {
  readonly id: string;
  readonly provider: Provider;
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly organisation: string | null;
  readonly disabled: boolean;
  readonly lastLogin: Date | null;
}

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly role: string;
  readonly organisation?: string | undefined;
  readonly password: string;
}

const columns = 'id, provider, email, name, role, organisation_id as organisation, disabled, last_login as "lastLogin"';
const statement = (name: string, text: string): Statement => ({ name: `administration-${name}`, text });

const list = statement("list", `select ${columns} from auth.users order by lower(email), provider`);
const find = statement(
  "find",
  `select ${columns} from auth.users where provider = $1 and (id = $2 or lower(email) = lower($2))`,
);
const add = statement(
  "add",
  `insert into auth.users (id, provider, email, name, password_hash, role, organisation_id)
   values ($1, 'local', $2, $3, $4, $5, $6)`,
);
const knownOrganisation = statement("known-organisation", "select id from auth.organisations where id = $1");
const addOrganisation = statement(
  "add-organisation",
  "insert into auth.organisations (id, name) values ($1, $1) on conflict do nothing",
);
const listOrganisations = statement(
  "list-organisations",
  `select o.id, count(u.id)::int as accounts from auth.organisations o left join auth.users u on u.organisation_id = o.id
   group by o.id order by o.id`,
);
const setRole = statement(
  "set-role",
  "update auth.users set role = $2, organisation_id = $3, updated_at = now() where id = $1",
);
const setDisabled = statement("set-disabled", "update auth.users set disabled = $2, updated_at = now() where id = $1");
const setPassword = statement(
  "set-password",
  "update auth.users set password_hash = $2, updated_at = now() where id = $1",
);

export interface AccountsParts {
  readonly database: Database;
  readonly sessions: SessionStore;
  readonly audit: AuditTrail;
}

/** An organisation with the number of its accounts. */
export interface Organisation {
  readonly id: string;
  readonly accounts: number;
}

/** Operator actions on accounts. Every change is audited; a change that removes rights also ends the sessions. */
export class Accounts {
  readonly #parts: AccountsParts;

  constructor(parts: AccountsParts) {
    this.#parts = parts;
  }

  list(): Promise<Account[]> {
    return this.#parts.database.query<Account & pg.QueryResultRow>(list);
  }

  organisations(): Promise<Organisation[]> {
    return this.#parts.database.query<Organisation & pg.QueryResultRow>(listOrganisations);
  }

  /** @throws {AdministrationError} when there is none */
  async find(reference: string, provider: Provider): Promise<Account> {
    const [account] = await this.#parts.database.query<Account & pg.QueryResultRow>(find, [provider, reference]);
    if (account === undefined) throw new AdministrationError(`there is no ${provider} account ${reference}`);
    return account;
  }

  /** @throws {AdministrationError} when there is none: a typing error would create an organisation without rows */
  async requireOrganisation(organisation: string): Promise<void> {
    if ((await this.#parts.database.query(knownOrganisation, [organisation])).length === 0)
      throw new AdministrationError(
        `there is no organisation ${organisation}: correct its name, or create it with --new-organisation ${organisation}`,
      );
  }

  /** Creates an unknown organisation. @throws {AdministrationError} when the address has a local account */
  async add({ email, name, role, organisation, password }: NewAccount): Promise<Account> {
    const { database } = this.#parts;
    requireOrganisation(role, organisation ?? null);
    if (organisation !== undefined) await this.#parts.database.query(addOrganisation, [organisation]);
    // 96 random bits in 24 characters without special meaning in URLs or command lines.
    const id = randomBytes(12).toString("hex");
    try {
      await database.query(add, [
        id,
        email.toLowerCase(),
        name,
        await hashPassword(password),
        role,
        organisation ?? null,
      ]);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code === "23505")
        throw new AdministrationError(`there is already a local account ${email}`);
      throw error;
    }
    const account = await this.find(id, "local");
    await this.#record("user-added", account, { role });
    return account;
  }

  /** @param organisation created when unknown; default: unchanged @throws {AdministrationError} for a directory account, which the directory would overwrite */
  async setRole(account: Account, role: string, organisation?: string): Promise<void> {
    if (account.provider !== "local")
      throw new AdministrationError("the role of a directory account comes from its groups (LDAP_ROLES)");
    const { database } = this.#parts;
    const belongs = organisation ?? account.organisation;
    requireOrganisation(role, belongs);
    if (organisation !== undefined) await this.#parts.database.query(addOrganisation, [organisation]);
    await database.query(setRole, [account.id, role, belongs]);
    await this.#record("role-changed", account, { from: account.role, to: role });
  }

  /** @returns the number of ended sessions */
  async disable(account: Account): Promise<number> {
    await this.#parts.database.query(setDisabled, [account.id, true]);
    await this.#record("user-disabled", account);
    return this.#parts.sessions.endAll(account.id);
  }

  async enable(account: Account): Promise<void> {
    await this.#parts.database.query(setDisabled, [account.id, false]);
    await this.#record("user-enabled", account);
  }

  /** @returns the number of ended sessions */
  async setPassword(account: Account, password: string): Promise<number> {
    if (account.provider !== "local")
      throw new AdministrationError("the password of a directory account is the directory's");
    await this.#parts.database.query(setPassword, [account.id, await hashPassword(password)]);
    await this.#record("password-changed", account);
    return this.#parts.sessions.endAll(account.id);
  }

  sessions(account: Account): Promise<SessionTimes[]> {
    return this.#parts.sessions.list(account.id);
  }

  /** @returns the number of ended sessions */
  async endSessions(account: Account): Promise<number> {
    const ended = await this.#parts.sessions.endAll(account.id);
    await this.#record("sessions-ended", account, { ended });
    return ended;
  }

  async #record(
    event: AuditEventName,
    account: Account,
    detail: Readonly<Record<string, string | number>> = {},
  ): Promise<void> {
    await this.#parts.audit.record({
      event,
      outcome: "success",
      userId: account.id,
      provider: account.provider,
      detail: { ...detail, by: "command" },
    });
  }
}

function requireOrganisation(role: string, organisation: string | null): void {
  if (role === "tenant" && organisation === null)
    throw new AdministrationError("a tenant needs an organisation (--organisation)");
}
