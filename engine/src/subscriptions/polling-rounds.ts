import { LightCancellation, type Cancellation } from "../cancellation.ts";

/** Polls a cohort again and again, each time so many milliseconds after the end of the time before, until it is stopped. */
export class PollingRounds {
  readonly #interval: number;
  readonly #poll: () => Promise<void>;
  readonly #cancellation = new LightCancellation();
  #timer: NodeJS.Timeout | undefined;

  constructor(interval: number, poll: () => Promise<void>) {
    this.#interval = interval;
    this.#poll = poll;
    this.#schedule();
  }

  /** Aborts when nobody is left to listen: what still runs in Postgres is of no use then, and would keep others waiting. */
  get signal(): Cancellation {
    return this.#cancellation;
  }

  get isStopped(): boolean {
    return this.#cancellation.aborted;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#cancellation.abort(new Error("nobody listens any more"));
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#run(), this.#interval);
  }

  async #run(): Promise<void> {
    await this.#poll();
    if (!this.isStopped) this.#schedule();
  }
}
