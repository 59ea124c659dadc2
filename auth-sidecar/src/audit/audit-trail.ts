import { isIP } from "node:net";
import type { Logger } from "pino";
import { batch, sharedWidely } from "../batch.ts";
import type { Queries, Statement } from "../database.ts";
import { asUser, type Provider, type User, userColumns, type UserRow } from "../users.ts";

export type AuditEventName =
  | "login"
  | "token"
  | "logout"
  | "first-administrator"
  | "user-added"
  | "role-changed"
  | "user-disabled"
  | "user-enabled"
  | "password-changed"
  | "sessions-ended"
  | "key-created"
  | "key-rotated"
  | "key-retired"
  | "keys-reencrypted";

export type AuditOutcome = "success" | "failure" | "throttled" | "refused";

/** One event of an account, a session or a key. Contains no secret, no e-mail address and no text from a client. */
export interface AuditEvent {
  readonly event: AuditEventName;
  readonly outcome: AuditOutcome;
  readonly userId?: string | undefined;
  readonly provider?: Provider | undefined;
  /** Keyed digest of the account's name, see accountPseudonym. */
  readonly account?: string | undefined;
  readonly address?: string | undefined;
  readonly requestId?: string | undefined;
  readonly detail?: Readonly<Record<string, string | number | boolean>> | undefined;
}

const insertEvents = `
  insert into auth.audit_events (occurred_at, event, outcome, user_id, provider, account, address, request_id, detail)
  select occurred_at, event, outcome, user_id, provider, account, address, request_id, detail
  from jsonb_to_recordset($1::jsonb) as entry
    (occurred_at timestamptz, event text, outcome text, user_id text, provider text, account text, address inet,
     request_id text, detail jsonb)`;

const insert: Statement = { name: "insert-audit-events", text: insertEvents };
const insertLogin: Statement = {
  name: "insert-login",
  text: `
    with login as (
      update auth.users as target set last_login = clock_timestamp()
      from (select id, last_login from auth.users where id = $2 and password_hash is not distinct from $3 and not disabled for update) as before
      where target.id = before.id
      returning before.last_login as previous
    ), recorded as (${insertEvents} where exists (select from login))
    select previous from login`,
};
const insertTokens: Statement = {
  name: "insert-tokens",
  text: `
    with account as (
      select ${userColumns} from auth.users
      where id = any($2::text[]) and provider = 'local' and not disabled and role <> 'pending'
    ), recorded as (${insertEvents} where user_id in (select id from account))
    select * from account`,
};

/** The account whose login succeeded, with the verified hash; null for a directory account. */
export interface ProvenAccount {
  readonly id: string;
  readonly passwordHash: string | null;
}

/** A token that is about to be signed for the user of a session. */
type TokenEvent = Omit<AuditEvent, "outcome" | "provider"> & { readonly userId: string };

/** Writes events to the log and to auth.audit_events. Concurrent events share a statement. */
export class AuditTrail {
  readonly #queries: Queries;
  readonly #log: Logger;
  readonly #insert: (event: object) => Promise<void>;
  readonly #insertToken: (event: AuditEvent & TokenEvent) => Promise<User | undefined>;

  constructor(queries: Queries, log: Logger) {
    this.#queries = queries;
    this.#log = log;
    this.#insert = batch(
      async (events: readonly object[]) => {
        await queries.query(insert, [JSON.stringify(events)]);
        return events.map(() => undefined);
      },
      { ...sharedWidely, name: insert.name },
    );
    this.#insertToken = batch(
      async (events: readonly (AuditEvent & TokenEvent)[]) => {
        const userIds = [...new Set(events.map(({ userId }) => userId))];
        const rows = await queries.query<UserRow>(insertTokens, [JSON.stringify(events.map(tableRow)), userIds]);
        const users = new Map(rows.map((row) => [row.id, asUser(row)]));
        return events.map(({ userId }) => users.get(userId));
      },
      { ...sharedWidely, name: insertTokens.name },
    );
  }

  /** Resolves when the event is stored: access is granted only afterwards. @throws {Unavailable} when the database does not answer */
  async record(event: AuditEvent): Promise<void> {
    this.#logEvent(event);
    await this.#insert(tableRow(event));
  }

  /** Records an event in the transaction of its change: both happen or neither. */
  async recordWith(transaction: Queries, event: AuditEvent): Promise<void> {
    await transaction.query(insert, [JSON.stringify([tableRow(event)])]);
    this.#logEvent(event);
  }

  /** Records a login and updates the account, or neither. @returns the previous one's time; undefined after a change meanwhile */
  async recordLogin(event: AuditEvent, { id, passwordHash }: ProvenAccount): Promise<Date | null | undefined> {
    const row = tableRow({ ...event, userId: id });
    const [login] = await this.#queries.query<{ previous: Date | null }>(insertLogin, [
      JSON.stringify([row]),
      id,
      passwordHash,
    ]);
    if (login !== undefined) this.#logEvent({ ...event, userId: id });
    return login?.previous;
  }

  /** The current user, and a record of the token; undefined, with nothing recorded, for no local account with access. @throws {Unavailable} */
  async recordLocalToken(token: TokenEvent): Promise<User | undefined> {
    const event = { ...token, outcome: "success", provider: "local" } as const;
    const user = await this.#insertToken(event);
    if (user !== undefined) this.#logEvent(event);
    return user;
  }

  /** Like {@link record}, for requests that are rejected anyway: the answer does not wait for the database. */
  async recordRefusal(event: AuditEvent): Promise<void> {
    await this.record(event).catch((error: unknown) =>
      this.#log.error({ err: error }, "an audit event is in the log only"),
    );
  }

  #logEvent(event: AuditEvent): void {
    this.#log.info({ audit: event }, `${event.event} ${event.outcome}`);
  }
}

function tableRow(event: AuditEvent): object {
  return {
    occurred_at: new Date().toISOString(),
    event: event.event,
    outcome: event.outcome,
    user_id: event.userId,
    provider: event.provider,
    account: event.account,
    address: event.address !== undefined && isIP(event.address) > 0 ? event.address : undefined,
    request_id: event.requestId,
    detail: event.detail,
  };
}
