import { randomBytes } from "node:crypto";
import { BoundedQueue } from "../bounded-queue.ts";
import { hashPassword, isOutdated, spendMissingWork, verifyPassword } from "./password-hash.ts";

export interface PasswordsOptions {
  /** Hashes at one time. */
  readonly concurrency: number;
  /** Logins that may wait. */
  readonly queue: number;
}

/** Milliseconds that a login may wait to be let in. */
const longestWait = 2000;
/**
 * Logins let in for each hash that may run: enough that hashing never waits for the database, few enough that a storm does not
 * reach it.
 */
const admittedPerHash = 4;

/**
 * All hash work of the process, bounded, so that a storm of logins costs neither the memory nor the minutes of one that is not.
 */
export class Passwords {
  readonly #admission: BoundedQueue;
  readonly #hashes: BoundedQueue;
  readonly #decoy: Promise<string>;

  constructor({ concurrency, queue }: PasswordsOptions) {
    this.#admission = new BoundedQueue({
      concurrency: concurrency * admittedPerHash,
      waiting: queue,
      longestWaitMilliseconds: longestWait,
    });
    this.#hashes = new BoundedQueue({ concurrency, waiting: Infinity });
    this.#decoy = hashPassword(randomBytes(32).toString("base64url"));
    this.#decoy.catch(() => undefined);
  }

  /** Logins that wait to be let in. */
  get waiting(): number {
    return this.#admission.waiting;
  }

  /** Hashes at work. */
  get running(): number {
    return this.#hashes.running;
  }

  /**
   * Runs a whole login, from look-up to answer, once it is let in.
   * @throws {TooManyRequests} when too many wait already, or it waited too long
   */
  admit<Result>(login: () => Promise<Result>): Promise<Result> {
    return this.#admission.run(login);
  }

  /** Whether a password is the one of this hash. What is not takes the same work whether there is a hash or not, and an outdated one too. */
  matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    return this.#hashes.run(async () => {
      const matches = await verifyPassword(passwordHash ?? (await this.#decoy), password);
      if (!matches && typeof passwordHash === "string") await spendMissingWork(passwordHash);
      return matches && typeof passwordHash === "string";
    });
  }

  hash(password: string): Promise<string> {
    return this.#hashes.run(() => hashPassword(password));
  }

  /** The renewed hash when today's parameters ask for one, else undefined. */
  async renewed(passwordHash: string, password: string): Promise<string | undefined> {
    return isOutdated(passwordHash) ? this.hash(password) : undefined;
  }
}
