/** Milliseconds between two looks. */
const interval = 100;
/** An answer that is not there after so many looks, which take less than half a second, is overdue. */
const looks = 4;

interface Awaited {
  looked: number;
  readonly giveUp: () => void;
}

/**
 * Minds how long answers take, by looks rather than by the clock: a process or a machine that stood still wakes with the answers there but
 * unread, and the timers of clients run before anything is read. However long it stood, that is one look.
 */
export class Patience {
  readonly #awaited = new Set<Awaited>();
  #timer: NodeJS.Timeout | undefined;

  /** Calls `giveUp` once when the answer is overdue. */
  mind(answer: Promise<unknown>, giveUp: () => void): void {
    const awaited = { looked: 0, giveUp };
    this.#awaited.add(awaited);
    this.#timer ??= setInterval(() => this.#look(), interval).unref();
    const settled = () => void this.#awaited.delete(awaited);
    answer.then(settled, settled);
  }

  #look(): void {
    for (const awaited of this.#awaited) {
      awaited.looked++;
      if (awaited.looked <= looks) continue;
      this.#awaited.delete(awaited);
      awaited.giveUp();
    }
    if (this.#awaited.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
