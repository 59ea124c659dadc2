import { mostHeavy } from "@routeql/contract/most-heavy";
import type { Cancellation } from "../cancellation.ts";
import { busy } from "../errors.ts";

/** One client's claim to a place, such as a connection, from its arrival until it returns the place. */
export interface Claim {
  /** Claims of the same client use one share together. */
  readonly client: string;
  /** Exempt from the client's share and from preemption: its owner ends it within a fraction of {@link slice}, or it belongs to the engine itself. */
  readonly isExempt?: boolean;
  /** Its work was ended once because it took longer than {@link slice}, or is known to take as long. */
  readonly isHeavy?: boolean;
  /** Milliseconds that its owner waited for earlier claims of the same work. */
  readonly waited?: number;
  /** Makes it return its place soon. Absent when it cannot. */
  preempt?: (() => void) | undefined;
  isPreempted?: boolean;
}

interface Waiter {
  readonly claim: Claim;
  readonly proceed: () => void;
}

interface Running {
  readonly claim: Claim;
  /** `performance.now()` */
  readonly since: number;
}

/** Time in milliseconds after which a claim is heavy. Places without a heavy claim become free at least this often. */
export const slice = 400;

/** Interval in milliseconds between two checks for too many heavy claims. */
const preemptionInterval = 100;

/** Number of clients above which irrelevant entries are removed. */
const mostRemembered = 1_000;

/**
 * A bounded number of places for work of many clients: connections, polls, requests to Hasura. The next free place goes to the client that
 * has used the least time (start-time fair queueing). Of three or more places, one client never holds all. Heavy claims of all clients
 * together hold at most {@link mostHeavy} places: the others stay free for quick ones, and the memory of the database is sized for that many.
 */
export class Places {
  readonly #size: number;
  readonly #timeout: number | undefined;
  readonly #mostOfOne: number;
  readonly #mostHeavy: number;
  readonly #waiting: Waiter[] = [];
  /** Not a Set, for the reason in Watchdog. */
  readonly #running: Running[] = [];
  /** Used time of each client in milliseconds, on the scale of `#served`. */
  readonly #used = new Map<string, number>();
  /** Used time of the most recently served client. An idle client starts here and gains nothing by its pause. */
  #served = 0;
  #preemption: NodeJS.Timeout | undefined;

  /** @param timeout milliseconds that a claim waits; a heavy one waits twice as long, with its earlier claims; default: any time */
  constructor(size: number, timeout?: number) {
    this.#size = size;
    this.#timeout = timeout;
    this.#mostOfOne = size < 3 ? size : size - Math.max(1, Math.floor(size / 4));
    this.#mostHeavy = mostHeavy(size);
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get free(): number {
    return this.#size - this.#running.length;
  }

  /** Takes a place; return it with `give`. Undefined when the claim has it at once; a cancelled claim leaves the queue. @throws `busy` */
  take(claim: Claim, signal?: Cancellation): Promise<void> | undefined {
    const hasPlace = this.free > 0 && this.#isEligible(claim, performance.now());
    if (hasPlace) this.#begin(claim);
    if (!hasPlace || this.#isCrowded) this.#preemptLater();
    return hasPlace ? undefined : this.#wait(claim, signal);
  }

  /** Returns the place of a claim, which goes to the next one. */
  give(claim: Claim): void {
    this.#leave(claim);
    while (this.free > 0) {
      const next = this.#shift();
      if (next === undefined) return;
      next.proceed();
    }
  }

  #wait(claim: Claim, signal: Cancellation | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const leave = (reason: unknown): void => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      };
      const onAbort = (): void => leave(signal?.reason);
      const waiter: Waiter = {
        claim,
        proceed: () => {
          settle();
          resolve();
        },
      };
      const longest = this.#timeout === undefined ? undefined : this.#timeout * (claim.isHeavy === true ? 2 : 1);
      const timer =
        longest === undefined
          ? undefined
          : setTimeout(() => leave(busy("wait", Math.ceil(longest / 1000))), longest - (claim.waited ?? 0));
      signal?.addEventListener("abort", onAbort);
      this.#waiting.push(waiter);
    });
  }

  /** Adds the time that a running claim used. */
  #leave(claim: Claim): void {
    const position = this.#running.findIndex((running) => running.claim === claim);
    if (position === -1) return;
    const { since } = this.#running[position]!;
    this.#running.splice(position, 1);
    this.#used.set(claim.client, this.#usedBy(claim.client) + performance.now() - since);
    if (this.#used.size > mostRemembered) this.#forget();
  }

  /** Removes the next claim from the queue and counts it as running; undefined when none may have a place now. */
  #shift(): Waiter | undefined {
    const now = performance.now();
    let best: { readonly waiter: Waiter; readonly used: number } | undefined;
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
    return best.waiter;
  }

  /** Whether so many claims have a place that too many of them could become heavy. */
  get #isCrowded(): boolean {
    return this.#running.length > this.#mostHeavy;
  }

  #preemptLater(): void {
    this.#preemption ??= setInterval(() => {
      this.#preempt();
      if (this.#waiting.length > 0 || this.#isCrowded) return;
      clearInterval(this.#preemption);
      this.#preemption = undefined;
    }, preemptionInterval).unref();
  }

  /** Preempts one heavy claim if too many of them have a place. */
  #preempt(): void {
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

function isLike(one: Claim, other: Claim): boolean {
  return one.client === other.client && one.isHeavy === other.isHeavy && one.isExempt === other.isExempt;
}

function isHeavy({ claim, since }: Running, now: number): boolean {
  return claim.isHeavy === true || now - since > slice;
}
