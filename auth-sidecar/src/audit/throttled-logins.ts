import type { AuditEvent, AuditTrail } from "./audit-trail.ts";
import { refused } from "./refusals.ts";

/** Milliseconds between records of the number of rejections. */
const interval = 60_000;
/** Accounts and addresses that are counted separately; others are counted together, so that random names do not fill the table. */
const mostApart = 1000;

interface Refusals {
  /** The first one, which is recorded by itself. */
  readonly first: AuditEvent;
  /** The number of later ones. */
  further: number;
}

/** Records the first throttled login at once and the number of later ones each minute: a login storm must not write a row per attempt. */
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
    const event: AuditEvent = refused(login, "throttled");
    const own = JSON.stringify([event.account, event.address, event.detail]);
    const isApart = this.#refusals.has(own) || this.#refusals.size < mostApart;
    const key = isApart ? own : "together";
    const known = this.#refusals.get(key);
    if (known !== undefined) {
      known.further += 1;
      return;
    }
    this.#refusals.set(key, {
      first: isApart ? event : { ...event, account: undefined, address: undefined },
      further: 0,
    });
    await this.#audit.recordRefusal(event);
  }

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
