import { mostHeavy } from "@routeql/contract/most-heavy";
import type { Cancellation } from "../cancellation.ts";
import { busy } from "../errors.ts";

/** One client's lease to a slot, such as a connection, from its arrival until it returns the slot. */
export interface Lease {
  /** Leases of the same client use one share together. */
  readonly client: string;
  /** Exempt from the client's share and from preemption: its owner ends it within a fraction of {@link slice}, or it belongs to the engine itself. */
  readonly isExempt?: boolean;
  /** Its work was ended once because it took longer than {@link slice}, or is known to take as long. */
  readonly isHeavy?: boolean;
  /** Milliseconds that its owner waited for earlier leases of the same work. */
  readonly waited?: number;
  /** Makes it return its slot soon. Absent when it cannot. */
  preempt?: (() => void) | undefined;
  isPreempted?: boolean;
}

interface Waiter {
  readonly lease: Lease;
  readonly proceed: () => void;
}

interface Running {
  readonly lease: Lease;
  /** `performance.now()` */
  readonly since: number;
}

/** Time in milliseconds after which a lease is heavy. Slots without a heavy lease become free at least this often. */
export const slice = 400;

/** Interval in milliseconds between two checks for too many heavy leases. */
const preemptionInterval = 100;

/** Number of clients above which irrelevant entries are removed. */
const mostRemembered = 1_000;

/**
 * A bounded number of slots for work of many clients: connections, polls, requests to Hasura. The next free slot goes to the client that
 * has used the least time (start-time fair queueing). Of three or more slots, one client never holds all. Heavy leases of all clients
 * together hold at most {@link mostHeavy} slots: the others stay free for quick ones, and the memory of the database is sized for that many.
 */
export class Slots {
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

  /** @param timeout milliseconds that a lease waits; a heavy one waits twice as long, with its earlier leases; default: any time */
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

  /** Takes a slot; return it with `give`. Undefined when the lease has it at once; a cancelled lease leaves the queue. @throws `busy` */
  take(lease: Lease, signal?: Cancellation): Promise<void> | undefined {
    const hasSlot = this.free > 0 && this.#isEligible(lease, performance.now());
    if (hasSlot) this.#begin(lease);
    if (!hasSlot || this.#isCrowded) this.#preemptLater();
    return hasSlot ? undefined : this.#wait(lease, signal);
  }

  /** Returns the slot of a lease, which goes to the next one. */
  give(lease: Lease): void {
    this.#leave(lease);
    while (this.free > 0) {
      const next = this.#shift();
      if (next === undefined) return;
      next.proceed();
    }
  }

  #wait(lease: Lease, signal: Cancellation | undefined): Promise<void> {
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
        lease,
        proceed: () => {
          settle();
          resolve();
        },
      };
      const longest = this.#timeout === undefined ? undefined : this.#timeout * (lease.isHeavy === true ? 2 : 1);
      const timer =
        longest === undefined
          ? undefined
          : setTimeout(() => leave(busy("wait", Math.ceil(longest / 1000))), longest - (lease.waited ?? 0));
      signal?.addEventListener("abort", onAbort);
      this.#waiting.push(waiter);
    });
  }

  /** Adds the time that a running lease used. */
  #leave(lease: Lease): void {
    const position = this.#running.findIndex((running) => running.lease === lease);
    if (position === -1) return;
    const { since } = this.#running[position]!;
    this.#running.splice(position, 1);
    this.#used.set(lease.client, this.#usedBy(lease.client) + performance.now() - since);
    if (this.#used.size > mostRemembered) this.#forget();
  }

  /** Removes the next lease from the queue and counts it as running; undefined when none may have a slot now. */
  #shift(): Waiter | undefined {
    const now = performance.now();
    let best: { readonly waiter: Waiter; readonly used: number } | undefined;
    const seen: Lease[] = [];
    for (const waiter of this.#waiting) {
      const { lease } = waiter;
      // Leases of one client differ only in their kind; the first of each kind represents the others.
      if (seen.some((other) => isLike(lease, other))) continue;
      seen.push(lease);
      if (!this.#isEligible(lease, now)) continue;
      const used = this.#usedBy(lease.client) + this.#elapsed(lease.client, now);
      if (best === undefined || used < best.used) best = { waiter, used };
    }
    if (best === undefined) return undefined;
    this.#waiting.splice(this.#waiting.indexOf(best.waiter), 1);
    this.#begin(best.waiter.lease);
    return best.waiter;
  }

  /** Whether so many leases have a slot that too many of them could become heavy. */
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

  /** Preempts one heavy lease if too many of them have a slot. */
  #preempt(): void {
    const now = performance.now();
    const heavy = this.#running.filter((running) => isHeavy(running, now) && running.lease.isPreempted !== true);
    if (heavy.length <= this.#mostHeavy) return;
    const count = (client: string): number => heavy.filter(({ lease }) => lease.client === client).length;
    // Of the client with the most heavy statements, the one that loses the least work.
    const [victim] = heavy
      .filter(({ lease }) => lease.preempt !== undefined)
      .toSorted((one, other) => count(other.lease.client) - count(one.lease.client) || other.since - one.since);
    if (victim === undefined) return;
    victim.lease.isPreempted = true;
    victim.lease.preempt?.();
  }

  #begin(lease: Lease): void {
    const used = this.#usedBy(lease.client);
    this.#served = used;
    this.#running.push({ lease, since: performance.now() });
  }

  #usedBy(client: string): number {
    return Math.max(this.#served, this.#used.get(client) ?? 0);
  }

  #elapsed(client: string, now: number): number {
    let elapsed = 0;
    for (const { lease, since } of this.#running) if (lease.client === client) elapsed += now - since;
    return elapsed;
  }

  #forget(): void {
    for (const [client, used] of this.#used) if (used <= this.#served) this.#used.delete(client);
  }

  #isEligible(lease: Lease, now: number): boolean {
    if (!this.#hasShare(lease)) return false;
    return lease.isHeavy !== true || this.#running.filter((running) => isHeavy(running, now)).length < this.#mostHeavy;
  }

  #hasShare({ isExempt, client }: Lease): boolean {
    if (isExempt === true) return true;
    let held = 0;
    for (const { lease } of this.#running) if (lease.isExempt !== true && lease.client === client) held += 1;
    return held < this.#mostOfOne;
  }
}

function isLike(one: Lease, other: Lease): boolean {
  return one.client === other.client && one.isHeavy === other.isHeavy && one.isExempt === other.isExempt;
}

function isHeavy({ lease, since }: Running, now: number): boolean {
  return lease.isHeavy === true || now - since > slice;
}
