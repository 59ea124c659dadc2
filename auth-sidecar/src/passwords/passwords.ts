import { randomBytes } from "node:crypto";
import { BoundedQueue } from "./bounded-queue.ts";
import { hashPassword, isOutdated, verifyPassword } from "./password-hash.ts";

export interface PasswordsOptions {
  readonly concurrency: number;
  readonly queue: number;
}

/** All hash work of the process, bounded, so that a storm of logins costs neither the memory nor the minutes of one that is not. */
export class Passwords {
  readonly queue: BoundedQueue;
  readonly #decoy: Promise<string>;

  constructor({ concurrency, queue }: PasswordsOptions) {
    this.queue = new BoundedQueue(concurrency, queue);
    this.#decoy = hashPassword(randomBytes(32).toString("base64url"));
    this.#decoy.catch(() => undefined);
  }

  /**
   * Runs `attempt` in its turn and gives it a check that takes the same work whether there is a hash or not.
   * @throws {TooManyRequests} when too many wait already
   */
  inTurn<Result>(attempt: (matches: (passwordHash: string | null | undefined, password: string) => Promise<boolean>) => Promise<Result>): Promise<Result> {
    return this.queue.run(() =>
      attempt(async (passwordHash, password) => {
        const matches = await verifyPassword(passwordHash ?? (await this.#decoy), password);
        return matches && typeof passwordHash === "string";
      }),
    );
  }

  hash(password: string): Promise<string> {
    return this.queue.run(() => hashPassword(password));
  }

  /** The renewed hash when today's parameters ask for one, else undefined. */
  async renewed(passwordHash: string, password: string): Promise<string | undefined> {
    return isOutdated(passwordHash) ? this.hash(password) : undefined;
  }
}
