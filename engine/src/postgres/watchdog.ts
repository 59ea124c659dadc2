/** Something that is waited for, and can be given up. */
export interface Watched {
  abandon(): void;
}

interface Watch {
  readonly watched: Watched;
  /** `performance.now()` */
  readonly since: number;
}

/** How exactly the limit is kept; milliseconds. */
const glance = 1_000;

/**
 * Gives up what was waited for longer than a limit: a Postgres that is cut off without a word neither answers nor ends the
 * connection, and its own statement timeout is of no use then. One timer looks after all of them.
 */
export class Watchdog {
  readonly #limit: number;
  /**
   * The oldest first, as few as there are connections. No Map: one that is written to all the time is made anew again and again, and
   * V8 lets each one before point to its successor. Once one of them is taken for long-lived, so are all after it, with what they
   * hold, up to the next collection of the whole heap.
   */
  readonly #watches: Watch[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param limit milliseconds; 0 = never */
  constructor(limit: number) {
    this.#limit = limit;
  }

  watch(watched: Watched): void {
    if (this.#limit === 0) return;
    this.#watches.push({ watched, since: performance.now() });
    this.#timer ??= setInterval(() => this.#look(), Math.min(glance, this.#limit)).unref();
  }

  release(watched: Watched): void {
    const position = this.#watches.findIndex((watch) => watch.watched === watched);
    if (position !== -1) this.#watches.splice(position, 1);
  }

  #look(): void {
    const oldest = performance.now() - this.#limit;
    const late = this.#watches.findIndex(({ since }) => since > oldest);
    const expired = this.#watches.splice(0, late === -1 ? this.#watches.length : late);
    for (const { watched } of expired) watched.abandon();
    if (this.#watches.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
