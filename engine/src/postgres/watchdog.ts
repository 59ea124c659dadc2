/** Something that is waited for, and can be given up. */
export interface Watched {
  abandon(): void;
}

/** How exactly the limit is kept; milliseconds. */
const glance = 1_000;

/**
 * Gives up what was waited for longer than a limit: a Postgres that is cut off without a word neither answers nor ends the
 * connection, and its own statement timeout is of no use then. One timer looks after all of them.
 */
export class Watchdog {
  readonly #limit: number;
  readonly #since = new Map<Watched, number>();
  #timer: NodeJS.Timeout | undefined;

  /** @param limit milliseconds; 0 = never */
  constructor(limit: number) {
    this.#limit = limit;
  }

  watch(watched: Watched): void {
    if (this.#limit === 0) return;
    this.#since.set(watched, performance.now());
    this.#timer ??= setInterval(() => this.#look(), Math.min(glance, this.#limit)).unref();
  }

  release(watched: Watched): void {
    this.#since.delete(watched);
  }

  #look(): void {
    const oldest = performance.now() - this.#limit;
    for (const [watched, since] of this.#since) {
      if (since > oldest) continue;
      this.#since.delete(watched);
      watched.abandon();
    }
    if (this.#since.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
