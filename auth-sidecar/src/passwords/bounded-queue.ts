import { TooManyRequests } from "../errors.ts";

export interface BoundedQueueOptions {
  /** Jobs that run at one time. */
  readonly concurrency: number;
  /** Jobs that may wait for their turn. */
  readonly waiting: number;
  /** A job that waited longer is not worth running any more: its client may have left, and those behind it wait too. */
  readonly longestWaitMilliseconds: number;
}

/** Runs so many jobs at one time and lets so many wait so long; the rest is refused. */
export class BoundedQueue {
  readonly #options: BoundedQueueOptions;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(options: BoundedQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  get running(): number {
    return this.#running;
  }

  /** @throws {TooManyRequests} when the queue is full, or the turn came too late */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    const { concurrency, waiting, longestWaitMilliseconds } = this.#options;
    const cameAt = performance.now();
    if (this.#running < concurrency) this.#running++;
    else if (this.#waiting.length >= waiting) throw new TooManyRequests(1);
    // The job that ends hands its place over, so `running` stays as it is.
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      if (performance.now() - cameAt > longestWaitMilliseconds) throw new TooManyRequests(2);
      return await job();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
