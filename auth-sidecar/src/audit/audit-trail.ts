import { isIP } from "node:net";
import type { Logger } from "pino";
import { batch, sharedWidely } from "../batch.ts";
import type { Queries, Statement } from "../database/database.ts";
import type { AuditEvent } from "./audit-event.ts";

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
    with recorded as (${insertEvents})
    update auth.users as target set last_login = clock_timestamp()
    from (select id, last_login from auth.users where id = $2 for update) as before
    where target.id = before.id
    returning before.last_login as previous`,
};

/** Writes events to the log and to auth.audit_events. Those of one moment share a statement. */
export class AuditTrail {
  readonly #queries: Queries;
  readonly #log: Logger;
  readonly #insert: (event: object) => Promise<void>;

  constructor(queries: Queries, log: Logger) {
    this.#queries = queries;
    this.#log = log;
    this.#insert = batch(async (events: readonly object[]) => {
      await queries.query(insert, [JSON.stringify(events)]);
      return events.map(() => undefined);
    }, sharedWidely);
  }

  /**
   * Resolves when the event is stored: nothing is granted that is not on record.
   * @throws {Unavailable} when the database does not answer
   */
  async record(event: AuditEvent): Promise<void> {
    await this.#insert(this.#logged(event));
  }

  /**
   * Records a login that succeeded and notes it with the account, both or neither.
   * @returns when the account was logged in to before, or null
   * @throws {Unavailable} when the database does not answer
   */
  async recordLogin(event: AuditEvent & { readonly userId: string }): Promise<Date | null> {
    const rows = await this.#queries.query<{ previous: Date | null }>(insertLogin, [JSON.stringify([this.#logged(event)]), event.userId]);
    return rows[0]?.previous ?? null;
  }

  /** As {@link record}, for what is refused anyway: the answer does not wait for the database to come back. */
  async recordRefusal(event: AuditEvent): Promise<void> {
    await this.record(event).catch((error: unknown) => this.#log.error({ err: error }, "an audit event is in the log only"));
  }

  /** Logs the event, and gives it as the table has it. */
  #logged(event: AuditEvent): object {
    this.#log.info({ audit: event }, `${event.event} ${event.outcome}`);
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
}
