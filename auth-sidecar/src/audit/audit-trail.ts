import { isIP } from "node:net";
import type { Logger } from "pino";
import { batch, sharedWidely } from "../batch.ts";
import type { Queries, Statement } from "../database.ts";
import { AccountChanged } from "../errors.ts";
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
     request_id text, detail jsonb, outlives float8)`;

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
// One statement, so that the account and the time of its last change are both from before a change, or both from after it.
const insertTokens: Statement = {
  name: "insert-tokens",
  text: `
    with account as (
      select ${userColumns}, extract(epoch from issued_before)::float8 as revoked_before
      from auth.users left join auth.revoked_tokens on account_id = id
      where id = any($2::text[]) and provider = $3 and not disabled and role <> 'pending'
    ), recorded as (${insertEvents} where exists (
      select from account where account.id = user_id and (revoked_before is null or revoked_before <= outlives)))
    select * from account`,
};

/** The account whose login succeeded, with the verified hash; null for a directory account. */
export interface ProvenAccount {
  readonly id: string;
  readonly passwordHash: string | null;
}

/** A token that is about to be signed for the user of a session. */
export type TokenEvent = Omit<AuditEvent, "outcome" | "provider"> & { readonly userId: string };

interface TokenRecord {
  readonly event: AuditEvent & TokenEvent;
  readonly issuedAt: number;
}

type TokenRow = UserRow & { revoked_before: number | null };

/** Writes events to the log and to auth.audit_events. Concurrent events share a statement. */
export class AuditTrail {
  readonly #queries: Queries;
  readonly #log: Logger;
  readonly #insert: (event: object) => Promise<void>;
  readonly #insertToken: Readonly<Record<Provider, (token: TokenRecord) => Promise<InsertedToken | undefined>>>;

  /** @param margin see revocationMargin */
  constructor(queries: Queries, log: Logger, margin = 0) {
    this.#queries = queries;
    this.#log = log;
    this.#insert = batch(
      async (events: readonly object[]) => {
        await queries.query(insert, [JSON.stringify(events)]);
        return events.map(() => undefined);
      },
      { ...sharedWidely, name: insert.name },
    );
    const insertToken = (provider: Provider) =>
      batch((tokens: readonly TokenRecord[]) => insertedTokens(queries, provider, tokens, margin), {
        ...sharedWidely,
        name: insertTokens.name,
      });
    this.#insertToken = { local: insertToken("local"), ldap: insertToken("ldap") };
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

  /**
   * Records a token, unless a change of its account revokes tokens of that time.
   * @returns the current user; undefined, with nothing recorded, for no account of this provider with access @throws {AccountChanged} {Unavailable}
   */
  async recordToken(provider: Provider, token: TokenEvent, issuedAt: number): Promise<User | undefined> {
    const event = { ...token, outcome: "success", provider } as const;
    const inserted = await this.#insertToken[provider]({ event, issuedAt });
    if (inserted === undefined) return undefined;
    if (issuedAt < inserted.usableFrom) throw new AccountChanged(inserted.usableFrom);
    this.#logEvent(event);
    return inserted.user;
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

interface InsertedToken {
  readonly user: User;
  /** Tokens issued earlier are not recorded. Seconds since the epoch. */
  readonly usableFrom: number;
}

async function insertedTokens(
  queries: Queries,
  provider: Provider,
  tokens: readonly TokenRecord[],
  margin: number,
): Promise<(InsertedToken | undefined)[]> {
  // `outlives` is the time of the latest revocation that does not include the token.
  const entries = tokens.map(({ event, issuedAt }) => ({ ...tableRow(event), outlives: issuedAt - margin }));
  const userIds = [...new Set(tokens.map(({ event }) => event.userId))];
  const rows = await queries.query<TokenRow>(insertTokens, [JSON.stringify(entries), userIds, provider]);
  const inserted = new Map(
    rows.map((row) => {
      const usableFrom = row.revoked_before === null ? 0 : Math.ceil(row.revoked_before + margin);
      return [row.id, { user: asUser(row), usableFrom }];
    }),
  );
  return tokens.map(({ event }) => inserted.get(event.userId));
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
