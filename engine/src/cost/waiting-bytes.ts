/** Unsent bytes of one client connection or reply. */
export interface Hold {
  set(bytes: number): void;
  /** Removes all of them. */
  release(): void;
}

export interface WaitingBytesOptions {
  /** Limit of unsent bytes for all clients together. */
  readonly limit: number;
  /** Time in milliseconds after which a client that reads nothing is disconnected. */
  readonly patience: number;
}

interface Held {
  readonly client: () => string;
  readonly cut: () => void;
  readonly hasTimeout: boolean;
  bytes: number;
  /** Time of the first unsent byte, or of the last decrease. */
  since: number;
  isCut: boolean;
  /** Index in the list of holds, while it has unsent bytes. */
  place: number;
}

/** Bounds the memory of unread replies: above the limit, the client with the most unsent bytes loses its largest connection. */
export class WaitingBytes {
  readonly #limit: number;
  readonly #patience: number;
  /** In any order. Not a Set, for the reason in Watchdog. */
  readonly #holds: Held[] = [];
  readonly #timer: NodeJS.Timeout;
  #total = 0;

  constructor({ limit, patience }: WaitingBytesOptions) {
    this.#limit = limit;
    this.#patience = patience;
    this.#timer = setInterval(() => this.#cutIdle(), patience / 4).unref();
  }

  get total(): number {
    return this.#total;
  }

  /** @param client whose connections are counted together @param cut closes the connection @param hasTimeout of the connection itself */
  hold(client: () => string, cut: () => void, { hasTimeout = false }: { readonly hasTimeout?: boolean } = {}): Hold {
    const held: Held = { client, cut, hasTimeout, bytes: 0, since: 0, isCut: false, place: 0 };
    return { set: (bytes) => this.#set(held, bytes), release: () => this.#set(held, 0) };
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #set(held: Held, bytes: number): void {
    if (bytes === held.bytes || held.isCut) return;
    if (held.bytes === 0) held.place = this.#holds.push(held) - 1;
    if (held.bytes === 0 || bytes < held.bytes) held.since = performance.now();
    this.#total += bytes - held.bytes;
    held.bytes = bytes;
    if (bytes === 0) this.#remove(held);
    while (this.#total > this.#limit) this.#cut(this.#largest());
  }

  #remove({ place }: Held): void {
    const last = this.#holds.pop()!;
    if (last.place === place) return;
    this.#holds[place] = last;
    last.place = place;
  }

  #cut(held: Held): void {
    this.#set(held, 0);
    held.isCut = true;
    held.cut();
  }

  /** The largest connection of the client with the most unsent bytes. */
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
    for (const held of this.#holds.slice()) if (!held.hasTimeout && now - held.since > this.#patience) this.#cut(held);
  }
}
