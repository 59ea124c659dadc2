import type { Redis } from "ioredis";
import { inStoreSpan } from "../sessions/redis.ts";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";

export interface FailureCounterOptions {
  /** Prefix of its keys in Redis. */
  readonly name: string;
  /** Failures that a window allows. */
  readonly limit: number;
  readonly windowSeconds: number;
}

/** Number of failures under a key in its window. */
export interface FailureCount {
  readonly failures: number;
  /** Milliseconds until the window ends and the count is reset. */
  readonly milliseconds: number;
}

/** Counts failures by key: in Redis, or in memory while Redis is unavailable. */
export class FailureCounter {
  readonly limit: number;
  readonly #shared: RateLimiterRedis;
  readonly #own: RateLimiterMemory;

  constructor(redis: Redis, { name, limit, windowSeconds }: FailureCounterOptions) {
    this.limit = limit;
    const options = { keyPrefix: name, points: limit, duration: windowSeconds };
    this.#own = new RateLimiterMemory(options);
    this.#shared = new RateLimiterRedis({
      ...options,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      insuranceLimiter: this.#own,
    });
  }

  /** Counts one failure, and returns the new count. */
  async add(key: string): Promise<FailureCount> {
    const { consumedPoints, msBeforeNext } = await inStoreSpan("countFailure", () => this.#shared.penalty(key));
    return { failures: consumedPoints, milliseconds: msBeforeNext };
  }

  /** Removes the counts made while Redis was unavailable; the caller deletes {@link sharedKey}. */
  async forgetInMemory(key: string): Promise<void> {
    await this.#own.delete(key);
  }

  /** The key in Redis that holds the number of failures until it expires. */
  sharedKey(key: string): string {
    return this.#shared.getKey(key);
  }

  /** Counts made while Redis was unavailable. */
  async inMemory(key: string): Promise<FailureCount> {
    const state = await this.#own.get(key);
    return { failures: state?.consumedPoints ?? 0, milliseconds: state?.msBeforeNext ?? 0 };
  }
}
