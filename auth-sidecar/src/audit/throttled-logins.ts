import type { AuditEvent } from "./audit-event.ts";
import type { AuditTrail } from "./audit-trail.ts";

/** Milliseconds that refusals are counted before their number is recorded. */
const interval = 60_000;
/** Accounts and addresses that are counted apart; those beyond count together, so that made-up names do not fill the table. */
const mostApart = 1000;

interface Refusals {
  /** The first of them, which stands in the trail by itself. */
  readonly first: AuditEvent;
  /** How many came after it. */
  further: number;
}

/**
 * Records logins that are refused unheard: the first of an account from an address as it happens, of those that follow within a
 * minute their number at its end. A storm would otherwise make the trail, and the database, bear every one.
 */
export class ThrottledLogins {
  readonly #audit: Pick<AuditTrail, "recordRefusal">;
  readonly #refusals = new Map<string, Refusals>();
  readonly #timer: NodeJS.Timeout;

  constructor(audit: Pick<AuditTrail, "recordRefusal">) {
    this.#audit = audit;
    this.#timer = setInterval(() => void this.#recordCounts(), interval).unref();
  }

  /** @param login without its outcome */
  async record(login: Omit<AuditEvent, "outcome">): Promise<void> {
    const event: AuditEvent = { ...login, outcome: "throttled" };
    const own = JSON.stringify([event.account, event.address, event.detail]);
    const isApart = this.#refusals.has(own) || this.#refusals.size < mostApart;
    const key = isApart ? own : "together";
    const known = this.#refusals.get(key);
    if (known !== undefined) {
      known.further += 1;
      return;
    }
    this.#refusals.set(key, { first: isApart ? event : { ...event, account: undefined, address: undefined }, further: 0 });
    await this.#audit.recordRefusal(event);
  }

  /** Records what is counted so far. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#recordCounts();
  }

  async #recordCounts(): Promise<void> {
    const counted = [...this.#refusals.values()].filter(({ further }) => further > 0);
    this.#refusals.clear();
    await Promise.all(
      counted.map(({ first, further }) =>
        this.#audit.recordRefusal({ ...first, requestId: undefined, detail: { ...first.detail, further } }),
      ),
    );
  }
}
