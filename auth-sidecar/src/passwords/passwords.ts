import { randomBytes } from "node:crypto";
import { inCurrentSpan } from "@routeql/tracing/span";
import { BoundedQueue } from "../bounded-queue.ts";
import { hashPassword, isOutdated, spendMissingWork, verifyPassword } from "./password-hash.ts";

export interface PasswordsOptions {
  /** Concurrent hashes. */
  readonly concurrency: number;
  /** Logins that may wait. */
  readonly queue: number;
}

/** Maximum wait of a login, in milliseconds. */
const longestWait = 2000;
/** Logins admitted for each concurrent hash: hashing never waits for the database, and a login storm does not reach it. */
const admittedPerHash = 4;

/** All hash work of the process, limited, so that a login storm exhausts neither memory nor processor. */
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

  get waiting(): number {
    return this.#admission.waiting;
  }

  get running(): number {
    return this.#hashes.running;
  }

  /** Runs a whole login once it is admitted. @param client owner of its share of the slots @throws {TooManyRequests} */
  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result> {
    return this.#admission.run(login, client);
  }

  /** Verifies a password. A failure takes the same work with a hash, without one, and with an outdated one. */
  matches(passwordHash: string | null | undefined, password: string): Promise<boolean> {
    return this.#hashed(async () => {
      const matches = await verifyPassword(passwordHash ?? (await this.#decoy), password);
      if (!matches && typeof passwordHash === "string") await spendMissingWork(passwordHash);
      return matches && typeof passwordHash === "string";
    });
  }

  hash(password: string): Promise<string> {
    return this.#hashed(() => hashPassword(password));
  }

  /** The span starts with the wait for a slot, as the queue of hashes is part of the time of a login. */
  #hashed<Result>(work: () => Promise<Result>): Promise<Result> {
    return inCurrentSpan("argon2id", "internal", {}, () => this.#hashes.run(work));
  }

  /** A renewed hash if the parameters have changed, otherwise undefined. */
  async renewed(passwordHash: string, password: string): Promise<string | undefined> {
    return isOutdated(passwordHash) ? this.hash(password) : undefined;
  }
}
