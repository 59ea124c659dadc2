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
}

/**
 * Shares the processor among clients: parsing, planning and sending statements occupy it while they last. Work of a client with low usage
 * runs immediately. The other clients are served in turn, one piece of work each, with other events in between. A client with high usage
 * gets slower; the others do not.
 */
export class Turns {
  readonly #accounts = new Map<string, Account>();
  /** Queued work by client, in the order of the turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;
  #hasNewConnection = false;
  /** Rounds of the event loop since the last turn. */
  #rounds = 0;

  /**
   * To be called for each accepted connection. libuv accepts one connection in each round of the event loop, so with long turns in
   * between, a hundred connections would wait for a hundred turns. Turns wait until no further connection arrives.
   */
  connected(): void {
    this.#hasNewConnection = true;
  }

  /**
   * Runs a piece of work, immediately or at the client's turn. Only the time until it returns counts, not that of a promise.
   * @throws any error of the work; EngineError `busy` (503) when the client has too much queued work
   */
  run<Result>(client: string, work: () => Result): Result | Promise<Awaited<Result>> {
    if (!this.#waiting.has(client) && this.#debtOf(client) < allowance) return this.#measured(client, work);
    return this.#later(client, work);
  }

  get waiting(): number {
    let count = 0;
    for (const works of this.#waiting.values()) count += works.length;
    return count;
  }

  #later<Result>(client: string, work: () => Result): Promise<Awaited<Result>> {
    const works = this.#waiting.get(client) ?? [];
    if (works.length >= mostWaiting) throw busy();
    this.#waiting.set(client, works);
    if (!this.#isScheduled) this.#schedule();
    return new Promise((resolve, reject) => {
      works.push(() => {
        try {
          resolve(this.#measured(client, work) as Awaited<Result>);
        } catch (error) {
          reject(error);
        }
      });
    });
  }

  #measured<Result>(client: string, work: () => Result): Result {
    const start = performance.now();
    try {
      return work();
    } finally {
      this.#charge(client, performance.now() - start);
    }
  }

  #charge(client: string, milliseconds: number): void {
    const account = this.#accounts.get(client);
    if (account !== undefined) account.debt += milliseconds;
    else {
      if (this.#accounts.size >= mostRemembered) this.#forgetIdle();
      this.#accounts.set(client, { debt: milliseconds, at: performance.now() });
    }
  }

  #debtOf(client: string): number {
    const account = this.#accounts.get(client);
    if (account === undefined) return 0;
    const now = performance.now();
    account.debt = Math.max(0, account.debt - (now - account.at) * share);
    account.at = now;
    return account.debt;
  }

  #forgetIdle(): void {
    for (const client of this.#accounts.keys()) if (this.#debtOf(client) === 0) this.#accounts.delete(client);
  }

  /**
   * A reply to a client with low usage takes several rounds of the event loop. A long piece of work is followed by an equally long pause
   * for them.
   * @param taken duration of the last turns, in milliseconds
   */
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
    for (const [client, works] of this.#waiting) {
      works.shift()?.();
      // The next turn of this client comes after those of all others.
      this.#waiting.delete(client);
      if (works.length > 0) this.#waiting.set(client, works);
      if (performance.now() - start >= slice) break;
    }
    this.#isScheduled = false;
    if (this.#waiting.size > 0) this.#schedule(performance.now() - start);
  }
}
