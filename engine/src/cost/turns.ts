import { EngineError } from "../errors.ts";

/** Milliseconds of the processor that a client may use at once. Whoever used more waits for its turn. */
const allowance = 20;

/** Part of the time that passes by which a client's debt shrinks. */
const share = 0.5;

/** Milliseconds that turns take before other events are handled. */
const slice = 5;

/** Pieces of work of one client that may wait. */
const mostWaiting = 512;

/** Clients without debt are forgotten when there are more. */
const mostRemembered = 10_000;

interface Account {
  /** Milliseconds. */
  debt: number;
  at: number;
}

/**
 * Shares the processor among clients: reading, planning and asking keep it while they last. A client that used little is served at
 * once. The others are served in turn, one piece of work each, and in between everything else is. A client that asks for more gets
 * slower; the others do not.
 */
export class Turns {
  readonly #accounts = new Map<string, Account>();
  /** Work that waits, by client, in the order of the turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;

  /**
   * Does a piece of work, at once or when the client's turn comes. Only the time until it returns counts, not that of a promise.
   * @throws what the work throws; EngineError `busy` (503) when too much work of the client waits
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
    if (works.length >= mostWaiting) throw new EngineError({ code: "busy", status: 503, message: "the server is busy, try again later" });
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
   * Answering a client that used little takes several rounds of the event loop. After a long piece of work they have as long a pause.
   * @param taken milliseconds of the last turns
   */
  #schedule(taken = 0): void {
    this.#isScheduled = true;
    if (taken > 2 * slice) setTimeout(() => this.#serve(), taken);
    else setImmediate(() => this.#serve());
  }

  #serve(): void {
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
