import type pg from "pg";
import type { Cancellation } from "../cancellation.ts";
import { Connection } from "./connection.ts";

export interface ConnectionPoolOptions {
  readonly connection: pg.ClientConfig;
  /** Most connections at a time. */
  readonly size: number;
  /** Milliseconds after which a connection without work is closed. */
  readonly idleTimeout: number;
  /** Milliseconds that a statement waits for a connection. */
  readonly waitTimeout: number;
  /** Told of connections that end by themselves. */
  readonly onLost: (message: string) => void;
}

/** Ends the wait of the one who stands first in line. */
type Waiter = (connection: Connection | Promise<Connection>) => void;

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

/** A bounded number of connections, opened when they are needed; who finds none free waits in line. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** The one used last is taken first, so that a quiet pool shrinks. */
  readonly #idle: Idle[] = [];
  readonly #waiting: Waiter[] = [];
  /** Connections that are open or being opened. */
  #total = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #ending: PromiseWithResolvers<void> | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
  }

  get statistics() {
    return { total: this.#total, idle: this.#idle.length, waiting: this.#waiting.length };
  }

  /** Connections that can be taken without waiting for somebody to give one back. */
  get free(): number {
    return this.#idle.length + this.#options.size - this.#total;
  }

  /** A connection to be given back. @throws when none can be opened, or none comes free in time; the signal's reason when it aborts before */
  take(signal?: Cancellation): Promise<Connection> | Connection {
    const free = this.#idle.pop();
    if (free !== undefined) {
      free.connection.hold(true);
      return free.connection;
    }
    return this.#total < this.#options.size ? this.#open() : this.#wait(signal);
  }

  give(connection: Connection): void {
    if (!connection.isUsable) {
      void this.#remove(connection);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) next(connection);
    else if (this.#ending !== undefined) void this.#remove(connection);
    else {
      connection.hold(false);
      this.#idle.push({ connection, since: performance.now() });
      this.#sweepLater();
    }
  }

  /** Gives a connection back that is not to be used again. */
  discard(connection: Connection): void {
    void this.#remove(connection);
  }

  /**
   * Closes connections without work at once, the others as they are given back, also those that are taken from now on, by who was let in
   * before; resolves when all are closed.
   */
  async end(): Promise<void> {
    if (this.#ending === undefined) {
      this.#ending = Promise.withResolvers();
      clearTimeout(this.#sweeper);
      for (const { connection } of this.#idle.splice(0)) void this.#remove(connection);
      if (this.#total === 0) this.#ending.resolve();
    }
    await this.#ending.promise;
  }

  async #open(): Promise<Connection> {
    this.#total += 1;
    try {
      return await Connection.open(this.#options.connection, (connection, error) => this.#onLost(connection, error));
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Who waits for nothing any more leaves the line, so that those who left do not stand before those who came. */
  #wait(signal: Cancellation | undefined): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
      };
      const leave = (reason: unknown): void => {
        settle();
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(reason);
      };
      const onAbort = (): void => leave(signal?.reason);
      const timer = setTimeout(() => leave(new Error("no connection came free in time")), this.#options.waitTimeout);
      const waiter: Waiter = (connection) => {
        settle();
        resolve(connection);
      };
      signal?.addEventListener("abort", onAbort);
      this.#waiting.push(waiter);
    });
  }

  async #remove(connection: Connection): Promise<void> {
    await connection.close();
    this.#forget();
  }

  /** Somebody who waits gets the place of a connection that is gone. */
  #forget(): void {
    this.#total -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) next(this.#open());
    else if (this.#total === 0) this.#ending?.resolve();
  }

  /** One that is in use is given back by its user. */
  #onLost(connection: Connection, error: Error): void {
    this.#options.onLost(error.message);
    const position = this.#idle.findIndex((idle) => idle.connection === connection);
    if (position === -1) return;
    this.#idle.splice(position, 1);
    this.#forget();
  }

  #sweepLater(): void {
    if (this.#sweeper !== undefined) return;
    this.#sweeper = setTimeout(() => {
      this.#sweeper = undefined;
      this.#sweep();
    }, this.#options.idleTimeout).unref();
  }

  #sweep(): void {
    const oldest = performance.now() - this.#options.idleTimeout;
    const kept = this.#idle.filter(({ since }) => since > oldest);
    const expired = this.#idle.filter(({ since }) => since <= oldest);
    this.#idle.splice(0, this.#idle.length, ...kept);
    for (const { connection } of expired) void this.#remove(connection);
    if (kept.length > 0) this.#sweepLater();
  }
}
