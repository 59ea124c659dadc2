import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";

export interface FailureCounterOptions {
  /** Prefix of its keys in Redis. */
  readonly name: string;
  /** Failures that a window allows. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** What is counted under a key in its window. */
export interface FailureCount {
  readonly failures: number;
  /** Milliseconds until the window ends and nothing is counted any more. */
  readonly milliseconds: number;
}

/** Counts failures under keys of one kind: in Redis, or in memory while Redis is away. */
export class FailureCounter {
  readonly limit: number;
  readonly #shared: RateLimiterRedis;
  readonly #own: RateLimiterMemory;

  constructor(redis: Redis, { name, limit, windowSeconds }: FailureCounterOptions) {
    this.limit = limit;
    const options = { keyPrefix: name, points: limit, duration: windowSeconds };
    this.#own = new RateLimiterMemory(options);
    this.#shared = new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true, insuranceLimiter: this.#own });
  }

  /** Counts one more, and gives what is counted with it. */
  async add(key: string): Promise<FailureCount> {
    const { consumedPoints, msBeforeNext } = await this.#shared.penalty(key);
    return { failures: consumedPoints, milliseconds: msBeforeNext };
  }

  /** Forgets what was counted while Redis was away; {@link sharedKey} is the caller's to delete. */
  async forgetInMemory(key: string): Promise<void> {
    await this.#own.delete(key);
  }

  /** The key in Redis that holds the number of failures until it expires. */
  sharedKey(key: string): string {
    return this.#shared.getKey(key);
  }

  /** What was counted while Redis was away. */
  async inMemory(key: string): Promise<FailureCount> {
    const state = await this.#own.get(key);
    return { failures: state?.consumedPoints ?? 0, milliseconds: state?.msBeforeNext ?? 0 };
  }
}
