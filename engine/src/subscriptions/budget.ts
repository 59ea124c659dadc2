/** Seconds of runs that may be saved up while nothing changes. */
const longestSaved = 2;

/** Time of connections for runs before their time, which notices cause. All cohorts share it, so that floods of notices cost a bounded share. */
export class Budget {
  /** Milliseconds of connections for each millisecond. */
  readonly #rate: number;
  readonly #now: () => number;
  #level: number;
  #at: number;

  /** @param percent of the time of `connections` */
  constructor(percent: number, connections: number, now: () => number = () => performance.now()) {
    this.#rate = (percent / 100) * connections;
    this.#now = now;
    this.#level = this.#most;
    this.#at = now();
  }

  get #most(): number {
    return this.#rate * longestSaved * 1_000;
  }

  /** Milliseconds until a run of this cost fits; cheap runs fit before costly ones. */
  wait(cost: number): number {
    this.#refill();
    const needed = Math.min(cost, this.#most);
    return this.#level >= needed ? 0 : Math.ceil((needed - this.#level) / this.#rate);
  }

  /** Spends the measured cost of a run, in milliseconds. The level may fall below zero: a run that costs more than expected delays the next ones. */
  spend(cost: number): void {
    this.#refill();
    this.#level = Math.max(this.#level - cost, -this.#most);
  }

  #refill(): void {
    const now = this.#now();
    this.#level = Math.min(this.#most, this.#level + (now - this.#at) * this.#rate);
    this.#at = now;
  }
}
