import { LightCancellation, type Cancellation } from "../cancellation.ts";

/** Polls a cohort repeatedly, each time a fixed number of milliseconds after the end of the previous poll, until it is stopped. */
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

  /** Aborts when the last listener has left: running statements are then useless and would delay others. */
  get signal(): Cancellation {
    return this.#cancellation;
  }

  get isStopped(): boolean {
    return this.#cancellation.aborted;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#cancellation.abort(new Error("the last listener has left"));
  }

  #schedule(): void {
    this.#timer = setTimeout(() => void this.#run(), this.#interval);
  }

  async #run(): Promise<void> {
    await this.#poll();
    if (!this.isStopped) this.#schedule();
  }
}
