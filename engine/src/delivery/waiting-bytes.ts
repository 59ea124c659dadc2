/** Bytes of one client connection or answer that wait to be sent. */
export interface Hold {
  /** How many wait now. */
  set(bytes: number): void;
  /** None wait any more. */
  release(): void;
}

export interface WaitingBytesOptions {
  /** Bytes that may wait for all clients together. */
  readonly limit: number;
  /** Milliseconds after which a client that takes nothing of what waits for it is cut off. */
  readonly patience: number;
}

interface Held {
  readonly client: () => string;
  readonly cut: () => void;
  readonly hasTimeout: boolean;
  bytes: number;
  /** When bytes began to wait, or fewer waited for the last time. */
  since: number;
  isCut: boolean;
}

/**
 * Bounds the memory of answers that clients do not read. When too many bytes wait for all clients together, the client for which
 * most of them wait loses its largest connection: the one that fills the memory pays for it. A client that takes nothing for a
 * while is cut off in any case.
 */
export class WaitingBytes {
  readonly #limit: number;
  readonly #patience: number;
  readonly #holds = new Set<Held>();
  readonly #timer: NodeJS.Timeout;
  #total = 0;

  constructor({ limit, patience }: WaitingBytesOptions) {
    this.#limit = limit;
    this.#patience = patience;
    this.#timer = setInterval(() => this.#cutIdle(), patience / 4).unref();
  }

  /** Bytes that wait for all clients. */
  get total(): number {
    return this.#total;
  }

  /**
   * @param client names the client, whose connections are counted together
   * @param cut ends the connection at once
   * @param hasTimeout whether the connection notices by itself that the client takes nothing
   */
  hold(client: () => string, cut: () => void, hasTimeout = false): Hold {
    const held: Held = { client, cut, hasTimeout, bytes: 0, since: 0, isCut: false };
    return {
      set: (bytes) => this.#set(held, bytes),
      release: () => this.#set(held, 0),
    };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #set(held: Held, bytes: number): void {
    if (bytes === held.bytes || held.isCut) return;
    if (held.bytes === 0) this.#holds.add(held);
    if (held.bytes === 0 || bytes < held.bytes) held.since = performance.now();
    this.#total += bytes - held.bytes;
    held.bytes = bytes;
    if (bytes === 0) this.#holds.delete(held);
    while (this.#total > this.#limit) this.#cut(this.#largest());
  }

  #cut(held: Held): void {
    this.#set(held, 0);
    held.isCut = true;
    held.cut();
  }

  /** The largest of the client for which most bytes wait. */
  #largest(): Held {
    const sums = new Map<string, { bytes: number; largest: Held }>();
    for (const held of this.#holds) {
      const sum = sums.get(held.client());
      if (sum === undefined) sums.set(held.client(), { bytes: held.bytes, largest: held });
      else {
        sum.bytes += held.bytes;
        if (held.bytes > sum.largest.bytes) sum.largest = held;
      }
    }
    const [first, ...others] = sums.values();
    if (first === undefined) throw new Error("bytes wait for a client");
    return others.reduce((most, each) => (each.bytes > most.bytes ? each : most), first).largest;
  }

  #cutIdle(): void {
    const now = performance.now();
    for (const held of this.#holds) if (!held.hasTimeout && now - held.since > this.#patience) this.#cut(held);
  }
}
