import type { Cancellation } from "../cancellation.ts";
import { busy } from "../errors.ts";

/** One client's claim to a connection, from its arrival until it returns the connection. */
export interface Claim {
  /** Claims of the same client use one share together. */
  readonly client: string;
  /** Exempt from the client's share and from preemption: its owner ends it within a fraction of {@link slice}, or it belongs to the engine itself. */
  readonly isExempt?: boolean;
  /** Its statement was ended once because it took longer than {@link slice}. */
  readonly isHeavy?: boolean;
  /** Ends the running statement; its owner then makes a heavy claim. Absent when nothing can be ended. */
  preempt?: (() => void) | undefined;
  /** Set when `preempt` was called. */
  isPreempted?: boolean;
}

/** Heavy statements that may run at the same time on so many connections. */
export const mostHeavy = (connections: number): number => Math.max(1, Math.floor(connections / 4));

interface Waiter<Granted> {
  readonly claim: Claim;
  readonly granted: Granted;
}

interface Running {
  readonly claim: Claim;
  /** `performance.now()` */
  readonly since: number;
}

/** Time in milliseconds after which a statement is heavy. Connections without a heavy statement become free at least this often. */
export const slice = 400;

/** Number of clients above which irrelevant entries are removed. */
const mostRemembered = 1_000;

/**
 * Decides which client gets the next connection, by start-time fair queueing: the client that has used the least connection time.
 * Of three or more connections, one client never holds all. Heavy statements of all clients together hold at most {@link mostHeavy} connections:
 * the others stay free for quick ones, and the memory of the database is sized for that many.
 */
export class FairLine<Granted> {
  readonly #mostOfOne: number;
  readonly #mostHeavy: number;
  readonly #waiting: Waiter<Granted>[] = [];
  /** Not a Set, for the reason in Watchdog. */
  readonly #running: Running[] = [];
  /** Connection time of each client in milliseconds, on the scale of `#served`. */
  readonly #used = new Map<string, number>();
  /** Used time of the most recently served client. An idle client starts here and gains nothing by its pause. */
  #served = 0;

  /** @param size number of connections */
  constructor(size: number) {
    this.#mostOfOne = size < 3 ? size : size - Math.max(1, Math.floor(size / 4));
    this.#mostHeavy = mostHeavy(size);
  }

  get length(): number {
    return this.#waiting.length;
  }

  /** Counts the claim as running if it may have a connection that is free now. */
  enter(claim: Claim): boolean {
    if (!this.#isEligible(claim, performance.now())) return false;
    this.#begin(claim);
    return true;
  }

  /** Adds the time that a running claim used. */
  leave(claim: Claim): void {
    const position = this.#running.findIndex((running) => running.claim === claim);
    if (position === -1) return;
    const { since } = this.#running[position]!;
    this.#running.splice(position, 1);
    this.#used.set(claim.client, this.#usedBy(claim.client) + performance.now() - since);
    if (this.#used.size > mostRemembered) this.#forget();
  }

  push(claim: Claim, granted: Granted): void {
    this.#waiting.push({ claim, granted });
  }

  /** Removes a cancelled claim from the queue. */
  remove(claim: Claim): void {
    const position = this.#waiting.findIndex((waiter) => waiter.claim === claim);
    if (position !== -1) this.#waiting.splice(position, 1);
  }

  /** Removes the next claim from the queue and counts it as running; undefined when none may have a connection now. */
  shift(): Granted | undefined {
    const now = performance.now();
    let best: { readonly waiter: Waiter<Granted>; readonly used: number } | undefined;
    const seen: Claim[] = [];
    for (const waiter of this.#waiting) {
      const { claim } = waiter;
      // Claims of one client differ only in their kind; the first of each kind represents the others.
      if (seen.some((other) => isLike(claim, other))) continue;
      seen.push(claim);
      if (!this.#isEligible(claim, now)) continue;
      const used = this.#usedBy(claim.client) + this.#elapsed(claim.client, now);
      if (best === undefined || used < best.used) best = { waiter, used };
    }
    if (best === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(best.waiter), 1);
    this.#begin(best.waiter.claim);
    return best.waiter.granted;
  }

  /** Whether so many statements run that too many of them could become heavy: {@link preempt} is then due regularly. */
  get isCrowded(): boolean {
    return this.#running.length > this.#mostHeavy;
  }

  /** Ends one heavy statement if too many of them run. */
  preempt(): void {
    const now = performance.now();
    const heavy = this.#running.filter((running) => isHeavy(running, now) && running.claim.isPreempted !== true);
    if (heavy.length <= this.#mostHeavy) return;
    const count = (client: string): number => heavy.filter(({ claim }) => claim.client === client).length;
    // Of the client with the most heavy statements, the one that loses the least work.
    const [victim] = heavy
      .filter(({ claim }) => claim.preempt !== undefined)
      .toSorted((one, other) => count(other.claim.client) - count(one.claim.client) || other.since - one.since);
    if (victim === undefined) return;
    victim.claim.isPreempted = true;
    victim.claim.preempt?.();
  }

  #begin(claim: Claim): void {
    const used = this.#usedBy(claim.client);
    this.#served = used;
    this.#running.push({ claim, since: performance.now() });
  }

  #usedBy(client: string): number {
    return Math.max(this.#served, this.#used.get(client) ?? 0);
  }

  #elapsed(client: string, now: number): number {
    let elapsed = 0;
    for (const { claim, since } of this.#running) if (claim.client === client) elapsed += now - since;
    return elapsed;
  }

  #forget(): void {
    for (const [client, used] of this.#used) if (used <= this.#served) this.#used.delete(client);
  }

  #isEligible(claim: Claim, now: number): boolean {
    if (!this.#hasShare(claim)) return false;
    return claim.isHeavy !== true || this.#running.filter((running) => isHeavy(running, now)).length < this.#mostHeavy;
  }

  #hasShare({ isExempt, client }: Claim): boolean {
    if (isExempt === true) return true;
    let held = 0;
    for (const { claim } of this.#running) if (claim.isExempt !== true && claim.client === client) held += 1;
    return held < this.#mostOfOne;
  }
}

/**
 * Waits until the line grants the claim. A cancelled claim leaves it, so that claims of disconnected clients do not delay others.
 * @param timeout in milliseconds; a heavy claim waits twice as long
 * @throws EngineError `busy` after the timeout; the signal's reason when it aborts before
 */
export function waitInLine<Value>(
  line: FairLine<(value: Value) => void>,
  claim: Claim,
  timeout: number,
  signal?: Cancellation,
): Promise<Awaited<Value>> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
    };
    const leave = (reason: unknown): void => {
      settle();
      line.remove(claim);
      reject(reason);
    };
    const onAbort = (): void => leave(signal?.reason);
    const timer = setTimeout(() => leave(busy()), timeout * (claim.isHeavy === true ? 2 : 1));
    signal?.addEventListener("abort", onAbort);
    line.push(claim, (value) => {
      settle();
      resolve(value as Awaited<Value>);
    });
  });
}

function isLike(one: Claim, other: Claim): boolean {
  return one.client === other.client && one.isHeavy === other.isHeavy && one.isExempt === other.isExempt;
}

function isHeavy({ claim, since }: Running, now: number): boolean {
  return claim.isHeavy === true || now - since > slice;
}
