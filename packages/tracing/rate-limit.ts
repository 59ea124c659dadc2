/** Allows a number of events in each second. */
export class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  #second = -1;
  #taken = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Whether one more event is allowed; it then counts. */
  take(): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perSecond) return false;
    this.#taken += 1;
    return true;
  }
}
