import type { Redis } from "ioredis";
import { RateLimiterMemory, RateLimiterRedis } from "rate-limiter-flexible";
import { TooManyRequests } from "../errors.ts";
import { command, inStoreSpan, script } from "../sessions/redis.ts";
import type { Settings } from "../settings.ts";
import { addressGroup } from "./address-group.ts";

type ThrottleLimits = Pick<
  Settings,
  "LOGIN_ATTEMPTS_PER_ACCOUNT" | "LOGIN_ATTEMPTS_PER_ADDRESS" | "LOGIN_WINDOW_SECONDS"
>;

/** `account` is an opaque name of a known or unknown account; never the e-mail address itself. */
export interface Attempt {
  readonly account: string;
  readonly address: string;
}

type Counts = readonly [pair: FailureCount, account: FailureCount, address: FailureCount];

/** Limit of failures of one account from all addresses, as a multiple of the limit from one address. */
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
  readonly #pairs: FailureCounter;
  readonly #accounts: FailureCounter;
  readonly #addresses: FailureCounter;
  readonly #read: ReturnType<typeof script>;
  readonly #succeed: ReturnType<typeof script>;

  constructor(redis: Redis, limits: ThrottleLimits) {
    this.#redis = redis;
    const { LOGIN_ATTEMPTS_PER_ACCOUNT: perAccount, LOGIN_WINDOW_SECONDS: windowSeconds } = limits;
    const counter = (name: string, limit: number) => new FailureCounter(redis, { name, limit, windowSeconds });
    this.#pairs = counter("throttle:pair", perAccount);
    this.#accounts = counter("throttle:account", perAccount * accountWideFactor);
    this.#addresses = counter("throttle:address", limits.LOGIN_ATTEMPTS_PER_ADDRESS);
    this.#read = script(redis, "readFailures", readFailures);
    this.#succeed = script(redis, "forgetFailures", forgetFailures);
  }

  /** @throws {TooManyRequests} if a limit is reached; counts nothing */
  async check(attempt: Attempt): Promise<void> {
    const [pair, account, address] = await this.#counts(attempt);
    await this.#refuse(attempt, {
      pair: untilAllowed(this.#pairs, pair, 1),
      account: untilAllowed(this.#accounts, account, 1),
      address: untilAllowed(this.#addresses, address, 1),
    });
  }

  /** @throws {TooManyRequests} if this failure exceeds a limit, so that concurrent guesses get no more answers than it allows */
  async countFailure(attempt: Attempt): Promise<void> {
    const pair = untilAllowed(this.#pairs, await this.#pairs.add(pairKey(attempt)), 0);
    // Over the limit of this address: the attempt got no answer about the password, so the other two counters ignore it.
    if (pair > 0) return this.#refuse(attempt, { pair, account: 0, address: 0 });
    const [account, address] = await Promise.all([
      this.#accounts.add(attempt.account),
      this.#addresses.add(addressGroup(attempt.address)),
    ]);
    await this.#refuse(attempt, {
      pair,
      account: untilAllowed(this.#accounts, account, 0),
      address: untilAllowed(this.#addresses, address, 0),
    });
  }

  /** Resets the account's failures and marks the address as known. */
  async countSuccess(attempt: Attempt): Promise<void> {
    const counted = [this.#pairs.sharedKey(pairKey(attempt)), this.#accounts.sharedKey(attempt.account)];
    try {
      await this.#succeed([...counted, knownKey(attempt)], [knownAddressSeconds]);
    } catch {
      await Promise.all([this.#pairs.forgetInMemory(pairKey(attempt)), this.#accounts.forgetInMemory(attempt.account)]);
    }
  }

  /** Deletes the counted failures of one account from all addresses, or all counts. Marks of known addresses stay. @returns the number of counts */
  async unlock(account?: string): Promise<number> {
    const patterns =
      account === undefined
        ? [this.#pairs, this.#accounts, this.#addresses].map((counter) => counter.sharedKey("*"))
        : [this.#pairs.sharedKey(`${account}:*`), this.#accounts.sharedKey(account)];
    let deleted = 0;
    for (const match of patterns)
      for await (const keys of this.#redis.scanStream({ match, count: 1000 }) as AsyncIterable<string[]>)
        if (keys.length > 0) deleted += await this.#redis.unlink(...keys);
    return deleted;
  }

  /** Counts of the pair, the account and the address, read in one step: every login reads them twice. */
  async #counts(attempt: Attempt): Promise<Counts> {
    const counters = [this.#pairs, this.#accounts, this.#addresses] as const;
    const keys = [pairKey(attempt), attempt.account, addressGroup(attempt.address)] as const;
    try {
      const shared = counters.map((counter, index) => counter.sharedKey(keys[index]!));
      const found = (await this.#read(shared, [])) as [failures: number, milliseconds: number][];
      return found.map(([failures, milliseconds]) => ({ failures, milliseconds })) as unknown as Counts;
    } catch {
      return Promise.all([counters[0].inMemory(keys[0]), counters[1].inMemory(keys[1]), counters[2].inMemory(keys[2])]);
    }
  }

  /** @param waits milliseconds until each limit allows another attempt, 0 if it does now */
  async #refuse(
    attempt: Attempt,
    waits: { readonly pair: number; readonly account: number; readonly address: number },
  ): Promise<void> {
    const accountWide = waits.account > 0 && !(await this.#isKnown(attempt)) ? waits.account : 0;
    const longest = Math.max(waits.pair, accountWide, waits.address);
    if (longest > 0) throw new TooManyRequests(Math.ceil(longest / 1000));
  }

  async #isKnown(attempt: Attempt): Promise<boolean> {
    return command(this.#redis, (redis) => redis.exists(knownKey(attempt))).then(
      (found) => found === 1,
      () => false,
    );
  }
}

/** KEYS: counts. Returns each one's number of failures and the milliseconds until it expires. */
const readFailures = `
local found = {}
for index, key in ipairs(KEYS) do
  found[index] = {tonumber(redis.call("GET", key) or 0), redis.call("PTTL", key)}
end
return found`;

/** KEYS: counts of the pair and the account, mark of a known address. ARGV: lifetime of the mark in seconds. */
const forgetFailures = `
redis.call("DEL", KEYS[1], KEYS[2])
redis.call("SET", KEYS[3], "1", "EX", ARGV[1])
return 1`;

const pairKey = ({ account, address }: Attempt): string => `${account}:${addressGroup(address)}`;
const knownKey = (attempt: Attempt): string => `throttle:known:${pairKey(attempt)}`;

/** Milliseconds until this number of further failures is within the limit; 0 if it is now. */
function untilAllowed({ limit }: FailureCounter, count: FailureCount, more: number): number {
  return count.failures + more > limit ? Math.max(count.milliseconds, 1) : 0;
}

export interface FailureCounterOptions {
  /** Prefix of its keys in Redis. */
  readonly name: string;
  /** Failures that a window allows. */
  readonly limit: number;
  readonly windowSeconds: number;
}

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
