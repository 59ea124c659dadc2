import { TooManyRequests } from "./errors.ts";

export interface BoundedQueueOptions {
  /** Jobs that run at one time. */
  readonly concurrency: number;
  /** Jobs that may wait for their turn. */
  readonly waiting: number;
  /** A job that waited so long is refused: its client may have left, and those behind it wait too. Without it they wait on. */
  readonly longestWaitMilliseconds?: number;
}

/** Runs so many jobs at one time and lets so many wait so long; the rest is refused. */
export class BoundedQueue {
  readonly #options: BoundedQueueOptions;
  /** What lets each that waits run, in the order in which they came. */
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(options: BoundedQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running;
  }

  /** @throws {TooManyRequests} at once when the queue is full, or when it has waited too long */
  async run<Result>(job: () => Promise<Result>): Promise<Result> {
    if (this.#running < this.#options.concurrency) this.#running++;
    else if (this.#waiting.size < this.#options.waiting) await this.#turn();
    else throw new TooManyRequests(1);
    try {
      return await job();
    } finally {
      this.#handOver();
    }
  }

  #turn(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { longestWaitMilliseconds } = this.#options;
    const start = (): void => {
      clearTimeout(overdue);
      resolve();
    };
    const overdue =
      longestWaitMilliseconds === undefined
        ? undefined
        : setTimeout(() => {
            this.#waiting.delete(start);
            reject(new TooManyRequests(2));
          }, longestWaitMilliseconds);
    this.#waiting.add(start);
    return promise;
  }

  /** The job that ends hands its place to the next, so `running` stays as it is. */
  #handOver(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running--;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
