import { busy } from "../errors.ts";

/** Processor time that a client may use at once, in milliseconds. A client that used more waits for its turn. */
const allowance = 20;

/** Fraction of the elapsed time by which a client's debt shrinks. */
const share = 0.5;

/** Maximum duration of turns before other events are handled, in milliseconds. */
const slice = 5;

/** Maximum number of queued pieces of work per client. */
const mostWaiting = 512;

/** Maximum number of rounds of the event loop that turns wait for new connections. */
const mostRounds = 200;

/** Above this number, clients without debt are dropped. */
const mostRemembered = 10_000;

interface Account {
  /** Used processor time in milliseconds. */
  debt: number;
  at: number;
  /** Queued work, oldest first. */
  readonly works: (() => void)[];
  /** Whether it has a place in the order of the turns, also during its last work. */
  isWaiting: boolean;
}

/**
 * Shares the processor among clients: parsing, planning and sending statements occupy it while they last. Work of a client with low usage
 * runs immediately. The other clients are served in turn, one piece of work each, with other events in between. A client with high usage
 * gets slower; the others do not.
 */
export class Turns {
  readonly #accounts = new Map<string, Account>();
  /** Clients with queued work, in the order of the turns. Not a Map, for the reason in Watchdog. */
  readonly #waiting: Account[] = [];
  #isScheduled = false;
  #hasNewConnection = false;
  /** Rounds of the event loop since the last turn. */
  #rounds = 0;

  /** Called for each accepted connection. libuv accepts one per round of the event loop, so turns wait until no further one arrives. */
  connected(): void {
    this.#hasNewConnection = true;
  }

  /** Runs work, immediately or at the client's turn; a promise's own time does not count. @throws its errors; EngineError `busy` (503) */
  run<Result>(client: string, work: () => Result): Result | Promise<Awaited<Result>> {
    const account = this.#accountOf(client);
    if (!account.isWaiting && debtOf(account) < allowance) return measured(account, work);
    return this.#later(account, work);
  }

  get waiting(): number {
    return this.#waiting.reduce((count, { works }) => count + works.length, 0);
  }

  #later<Result>(account: Account, work: () => Result): Promise<Awaited<Result>> {
    if (account.works.length >= mostWaiting) throw busy("queue");
    if (!account.isWaiting) this.#waiting.push(account);
    account.isWaiting = true;
    if (!this.#isScheduled) this.#schedule();
    return new Promise((resolve, reject) => {
      account.works.push(() => {
        try {
          resolve(measured(account, work) as Awaited<Result>);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #accountOf(client: string): Account {
    const known = this.#accounts.get(client);
    if (known !== undefined) return known;
    if (this.#accounts.size >= mostRemembered) this.#forgetIdle();
    const account: Account = { debt: 0, at: performance.now(), works: [], isWaiting: false };
    this.#accounts.set(client, account);
    return account;
  }

  #forgetIdle(): void {
    for (const [client, account] of this.#accounts)
      if (!account.isWaiting && debtOf(account) === 0) this.#accounts.delete(client);
  }

  /** Pauses as long as the last turns took: a reply to a client with low usage takes several rounds of the event loop. */
  #schedule(taken = 0): void {
    this.#isScheduled = true;
    if (taken > 2 * slice) setTimeout(() => this.#serve(), taken);
    else setImmediate(() => this.#serve());
  }

  #serve(): void {
    if (this.#hasNewConnection && this.#rounds < mostRounds) {
      this.#hasNewConnection = false;
      this.#rounds += 1;
      this.#schedule();
      return;
    }
    this.#rounds = 0;
    const start = performance.now();
    for (let account = this.#waiting[0]; account !== undefined; account = this.#waiting[0]) {
      account.works.shift()?.();
      // The next turn of this client comes after those of all others.
      this.#waiting.shift();
      account.isWaiting = account.works.length > 0;
      if (account.isWaiting) this.#waiting.push(account);
      if (performance.now() - start >= slice) break;
    }
    this.#isScheduled = false;
    if (this.#waiting.length > 0) this.#schedule(performance.now() - start);
  }
}

function measured<Result>(account: Account, work: () => Result): Result {
  const start = performance.now();
  try {
    return work();
  } finally {
    account.debt += performance.now() - start;
  }
}

function debtOf(account: Account): number {
  const now = performance.now();
  account.debt = Math.max(0, account.debt - (now - account.at) * share);
  account.at = now;
  return account.debt;
}
