/** Work with a time limit, which can be abandoned. */
export interface Watched {
  abandon(): void;
}

interface Watch {
  readonly watched: Watched;
  /** `performance.now()` */
  readonly since: number;
}

/** Precision of the limit, in milliseconds. */
const glance = 1_000;

/**
 * Abandons work that exceeds a limit: a Postgres behind a silently broken network neither answers nor closes the connection, and its own
 * statement timeout has no effect then. One timer serves all work.
 */
export class Watchdog {
  readonly #limit: number;
  /**
   * Oldest first, at most one per connection. Not a Map: a Map under constant change is rebuilt again and again, and V8 links each old
   * table to its successor. Once one table is promoted to the old generation, all later ones and their entries stay alive until the next
   * full garbage collection.
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
