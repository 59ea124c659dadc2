/** Milliseconds between two checks. */
const interval = 100;
/** An answer is overdue after this number of checks, which take less than half a second. */
const looks = 4;

/** Requests sent since the same check. */
interface Awaited {
  count: number;
}

/**
 * Detects overdue answers by counting checks instead of using the clock. After a pause of the process or the machine, answers have
 * arrived but are unread, and timers run before any data is read. A pause of any length counts as one check.
 */
export class Patience {
  readonly #giveUp: () => void;
  /** The newest first. */
  readonly #sinceLook: Awaited[] = [{ count: 0 }];
  #timer: NodeJS.Timeout | undefined;

  /** @param giveUp called when answers are overdue, once for those of the same look */
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
