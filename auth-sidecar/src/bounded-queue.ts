import { TooManyRequests } from "./errors.ts";

export interface BoundedQueueOptions {
  readonly concurrency: number;
  readonly waiting: number;
  /** Maximum wait of a job; then it is rejected, because its client may have left. Without it jobs wait indefinitely. */
  readonly longestWaitMilliseconds?: number;
  /** The error of a job that is rejected while no job has ended for its maximum wait; default {@link TooManyRequests}. */
  readonly stalled?: () => Error;
}

interface Waiting {
  readonly client: string;
  start(): void;
  refuse(): void;
}

/** Limits jobs and their wait. The next job is of the client with the fewest running ones; a full queue rejects the busiest client. */
export class BoundedQueue {
  readonly #options: BoundedQueueOptions;
  /** In the order of their arrival. */
  readonly #waiting = new Set<Waiting>();
  readonly #runningOf = new Map<string, number>();
  /** Number of the last job of each client that runs or waits. */
  readonly #servedAt = new Map<string, number>();
  #running = 0;
  #served = 0;
  /** `performance.now()`: when a job last began without another one, or ended. */
  #movedAt = 0;

  constructor(options: BoundedQueueOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get running(): number {
    return this.#running;
  }

  /** @param client owner of the job; its jobs run in their order @throws {TooManyRequests} if the queue is full, or the wait too long; `stalled` */
  async run<Result>(job: () => Promise<Result>, client = ""): Promise<Result> {
    if (this.#running < this.#options.concurrency) this.#begin(client);
    else if (this.#waiting.size < this.#options.waiting || this.#makesRoomFor(client)) await this.#turn(client);
    else throw this.#refusal(1);
    try {
      return await job();
    } finally {
      this.#end(client);
    }
  }

  #turn(client: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const { longestWaitMilliseconds } = this.#options;
    const leave = (seconds: number): void => {
      clearTimeout(overdue);
      this.#waiting.delete(waiting);
      this.#forget(client);
      reject(this.#refusal(seconds));
    };
    const overdue =
      longestWaitMilliseconds === undefined ? undefined : setTimeout(() => leave(2), longestWaitMilliseconds);
    const waiting: Waiting = {
      client,
      start: () => {
        clearTimeout(overdue);
        this.#waiting.delete(waiting);
        this.#begin(client);
        resolve();
      },
      refuse: () => leave(1),
    };
    this.#waiting.add(waiting);
    return promise;
  }

  #refusal(seconds: number): Error {
    const { stalled, longestWaitMilliseconds = Infinity } = this.#options;
    // A timer may end a fraction of a millisecond early.
    const isStalled = performance.now() - this.#movedAt >= longestWaitMilliseconds - 1;
    return isStalled && stalled !== undefined ? stalled() : new TooManyRequests(seconds);
  }

  /** Rejects the last job of the client with the most waiting jobs, if it has at least two more than this client. */
  #makesRoomFor(client: string): boolean {
    const counts = new Map<string, number>();
    for (const waiting of this.#waiting) counts.set(waiting.client, (counts.get(waiting.client) ?? 0) + 1);
    const most = Math.max(...counts.values(), 0);
    if (most < (counts.get(client) ?? 0) + 2) return false;
    const last = [...this.#waiting].findLast((waiting) => counts.get(waiting.client) === most);
    last?.refuse();
    return last !== undefined;
  }

  #begin(client: string): void {
    if (this.#running === 0) this.#movedAt = performance.now();
    this.#running += 1;
    this.#served += 1;
    this.#runningOf.set(client, (this.#runningOf.get(client) ?? 0) + 1);
    this.#servedAt.set(client, this.#served);
  }

  #end(client: string): void {
    this.#movedAt = performance.now();
    this.#running -= 1;
    this.#runningOf.set(client, (this.#runningOf.get(client) ?? 1) - 1);
    this.#forget(client);
    let next: Waiting | undefined;
    for (const waiting of this.#waiting)
      if (next === undefined || this.#isBefore(waiting.client, next.client)) next = waiting;
    next?.start();
  }

  #isBefore(one: string, other: string): boolean {
    const difference = (this.#runningOf.get(one) ?? 0) - (this.#runningOf.get(other) ?? 0);
    return difference === 0 ? (this.#servedAt.get(one) ?? 0) < (this.#servedAt.get(other) ?? 0) : difference < 0;
  }

  /** Removes a client without jobs. */
  #forget(client: string): void {
    if ((this.#runningOf.get(client) ?? 0) > 0) return;
    this.#runningOf.delete(client);
    for (const waiting of this.#waiting) if (waiting.client === client) return;
    this.#servedAt.delete(client);
  }
}
