/** Milliseconds between two looks. */
const interval = 100;
/** An answer that is not there after so many looks, which take less than half a second, is overdue. */
const looks = 4;

/** The answers that are awaited since the same look. */
interface Awaited {
  count: number;
}

/**
 * Minds how long answers take, by looks rather than by the clock: a process or a machine that stood still wakes with the answers there but
 * unread, and the timers of clients run before anything is read. However long it stood, that is one look.
 */
export class Patience {
  readonly #giveUp: () => void;
  /** The newest first. */
  readonly #sinceLook: Awaited[] = [{ count: 0 }];
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp called when answers are overdue, once for those that are awaited since the same look */
  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  mind(answer: Promise<unknown>): void {
    const awaited = this.#sinceLook[0]!;
    awaited.count++;
    this.#timer ??= setInterval(() => this.#look(), interval).unref();
    const settled = (): void => void awaited.count--;
    answer.then(settled, settled);
  }

  #look(): void {
    this.#sinceLook.unshift({ count: 0 });
    const overdue = this.#sinceLook[looks + 1];
    this.#sinceLook.length = Math.min(this.#sinceLook.length, looks + 1);
    if (overdue !== undefined && overdue.count > 0) this.#giveUp();
    if (this.#sinceLook.some(({ count }) => count > 0)) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
