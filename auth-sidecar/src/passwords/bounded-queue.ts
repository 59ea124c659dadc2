import { TooManyRequests } from "../errors.ts";

/** Runs at most `concurrency` jobs at one time and lets at most `limit` wait; more are refused at once. */
export class BoundedQueue {
  readonly #concurrency: number;
  readonly #limit: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(concurrency: number, limit: number) {
    this.#concurrency = concurrency;
    this.#limit = limit;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running;
  }

  /** @throws {TooManyRequests} when the queue is full */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running >= this.#concurrency) {
      if (this.#waiting.length >= this.#limit) throw new TooManyRequests(1);
      // The finished job hands its place over, so `running` stays as it is.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
