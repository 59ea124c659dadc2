import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { command } from "../sessions/redis.ts";
import { TooManyRequests } from "../errors.ts";
import { addressGroup } from "./address-group.ts";

export interface ThrottleLimits {
  /** Failures of one account from one address in a window. */
  readonly perAccount: number;
  /** Failures from one address, whatever the account, in a window. */
  readonly perAddress: number;
  readonly windowSeconds: number;
}

/** Who tries: `account` is an opaque name of the account, known or not; never the e-mail address itself. */
export interface Attempt {
  readonly account: string;
  readonly address: string;
}

/** Failures of one account from everywhere, as a multiple of {@link ThrottleLimits.perAccount}. */
const accountWideFactor = 10;
const knownAddressSeconds = 30 * 24 * 3600;

/**
 * Counts failed logins, in Redis so that replicas share the count and a restart keeps it, or in memory while Redis is away.
 *
 * A victim cannot be locked out: every refusal ends with its window; failures from elsewhere do not count against the victim's
 * own address until the account-wide limit, and that one does not hold for addresses from which the account was logged in to
 * before.
 */
export class Throttle {
  readonly #redis: Redis;
  readonly #pair: RateLimiterRedis;
  readonly #account: RateLimiterRedis;
  readonly #address: RateLimiterRedis;

  constructor(redis: Redis, { perAccount, perAddress, windowSeconds }: ThrottleLimits) {
    this.#redis = redis;
    const limiter = (keyPrefix: string, points: number) =>
      new RateLimiterRedis({
        storeClient: redis,
        keyPrefix,
        points,
        duration: windowSeconds,
        rejectIfRedisNotReady: true,
        insuranceLimiter: new RateLimiterMemory({ keyPrefix, points, duration: windowSeconds }),
      });
    this.#pair = limiter("throttle:pair", perAccount);
    this.#account = limiter("throttle:account", perAccount * accountWideFactor);
    this.#address = limiter("throttle:address", perAddress);
  }

  /** @throws {TooManyRequests} when a limit is reached; counts nothing */
  async check(attempt: Attempt): Promise<void> {
    const address = addressGroup(attempt.address);
    const [pair, account, from] = await Promise.all([
      remainingMilliseconds(this.#pair, pairKey(attempt.account, address)),
      remainingMilliseconds(this.#account, attempt.account),
      remainingMilliseconds(this.#address, address),
    ]);
    const accountWide = account > 0 && !(await this.#isKnown(attempt.account, address)) ? account : 0;
    const longest = Math.max(pair, accountWide, from);
    if (longest > 0) throw new TooManyRequests(Math.ceil(longest / 1000));
  }

  async countFailure(attempt: Attempt): Promise<void> {
    const address = addressGroup(attempt.address);
    await Promise.all([
      this.#pair.penalty(pairKey(attempt.account, address)),
      this.#account.penalty(attempt.account),
      this.#address.penalty(address),
    ]);
  }

  /** Forgets the account's failures and remembers the address as one of its own. */
  async countSuccess(attempt: Attempt): Promise<void> {
    const address = addressGroup(attempt.address);
    await Promise.all([
      this.#pair.delete(pairKey(attempt.account, address)),
      this.#account.delete(attempt.account),
      command(this.#redis, (redis) => redis.set(knownKey(attempt.account, address), "1", "EX", knownAddressSeconds)).catch(
        () => undefined,
      ),
    ]);
  }

  async #isKnown(account: string, address: string): Promise<boolean> {
    return command(this.#redis, (redis) => redis.exists(knownKey(account, address))).then(
      (found) => found === 1,
      () => false,
    );
  }
}

const pairKey = (account: string, address: string): string => `${account}:${address}`;
const knownKey = (account: string, address: string): string => `throttle:known:${account}:${address}`;

async function remainingMilliseconds(limiter: RateLimiterRedis, key: string): Promise<number> {
  const state = await limiter.get(key);
  return state !== null && state.consumedPoints >= limiter.points ? Math.max(state.msBeforeNext, 1) : 0;
}
