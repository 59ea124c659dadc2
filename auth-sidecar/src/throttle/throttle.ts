import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from "rate-limiter-flexible";
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
      this.#pair.get(pairKey(attempt.account, address)),
      this.#account.get(attempt.account),
      this.#address.get(address),
    ]);
    await this.#refuse(attempt, {
      pair: untilAllowed(this.#pair, pair, 1),
      account: untilAllowed(this.#account, account, 1),
      address: untilAllowed(this.#address, from, 1),
    });
  }

  /**
   * @throws {TooManyRequests} when this failure is one too many, so that of guesses sent at the same moment no more than the limit
   * learn that they were wrong
   */
  async countFailure(attempt: Attempt): Promise<void> {
    const address = addressGroup(attempt.address);
    const pair = untilAllowed(this.#pair, await this.#pair.penalty(pairKey(attempt.account, address)), 0);
    // One too many from there: it was told nothing, so it counts against neither the account elsewhere nor the address.
    if (pair > 0) return this.#refuse(attempt, { pair, account: 0, address: 0 });
    const [account, from] = await Promise.all([this.#account.penalty(attempt.account), this.#address.penalty(address)]);
    await this.#refuse(attempt, {
      pair,
      account: untilAllowed(this.#account, account, 0),
      address: untilAllowed(this.#address, from, 0),
    });
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

  /** @param waits milliseconds until each limit allows an attempt again, 0 when it does */
  async #refuse(attempt: Attempt, waits: { readonly pair: number; readonly account: number; readonly address: number }): Promise<void> {
    const accountWide = waits.account > 0 && !(await this.#isKnown(attempt.account, addressGroup(attempt.address))) ? waits.account : 0;
    const longest = Math.max(waits.pair, accountWide, waits.address);
    if (longest > 0) throw new TooManyRequests(Math.ceil(longest / 1000));
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

/** Milliseconds until so many more failures are within the limit; 0 when they are now. */
function untilAllowed({ points }: RateLimiterRedis, state: RateLimiterRes | null, failures: number): number {
  return state !== null && state.consumedPoints + failures > points ? Math.max(state.msBeforeNext, 1) : 0;
}
