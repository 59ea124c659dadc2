import type pg from "pg";
import type { Cancellation } from "../cancellation.ts";
import { Connection } from "./connection.ts";
import { FairLine, type Claim, waitInLine } from "./fair-line.ts";

export interface ConnectionPoolOptions {
  readonly connection: pg.ClientConfig;
  /** Maximum number of connections. */
  readonly size: number;
  /** Limit of the results of one turn, in bytes; 0 or absent = unlimited. */
  readonly answerLimit?: number | undefined;
  /** Time in milliseconds after which an idle connection is closed. */
  readonly idleTimeout: number;
  /** Time in milliseconds that a claim waits for a connection; a heavy claim waits twice as long. */
  readonly waitTimeout: number;
  /** Called when a connection ends by itself. */
  readonly onLost: (message: string) => void;
}

/** Ends the wait of a claim. */
type Waiter = (connection: Connection | Promise<Connection>) => void;

/** Interval in milliseconds between two checks for too many heavy statements. */
const preemptionInterval = 100;

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

/** A bounded number of connections, opened on demand. Waiting clients are served in turn. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  /** Last in, first out, so that a quiet pool shrinks. */
  readonly #idle: Idle[] = [];
  readonly #line: FairLine<Waiter>;
  /** Connections that are open or being opened. */
  #total = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #preemption: NodeJS.Timeout | undefined;
  #ending: PromiseWithResolvers<void> | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#line = new FairLine(options.size);
  }

  get statistics() {
    return { total: this.#total, idle: this.#idle.length, waiting: this.#line.length };
  }

  /** Connections that are available without waiting. */
  get free(): number {
    return this.#idle.length + this.#options.size - this.#total;
  }

  /**
   * A connection; return it with the same claim. @throws any error of opening it; EngineError `busy` when none becomes free in time; the
   * signal's reason when it aborts before
   */
  take(claim: Claim, signal?: Cancellation): Promise<Connection> | Connection {
    if (this.free === 0 || !this.#line.enter(claim)) return this.#wait(claim, signal);
    if (this.#line.isCrowded) this.#preemptLater();
    const opened = this.#pick();
    return opened instanceof Promise ? this.#orLeave(claim, opened) : opened;
  }

  give(connection: Connection, claim: Claim): void {
    if (!connection.isUsable) {
      this.discard(connection, claim);
      return;
    }
    this.#line.leave(claim);
    const next = this.#line.length === 0 ? undefined : this.#line.shift();
    if (next !== undefined) {
      next(connection);
      this.#serve();
      return;
    }
    connection.hold(false);
    this.#idle.push({ connection, since: performance.now() });
    if (this.#ending === undefined) this.#sweepLater();
    else if (this.#line.length === 0) this.#removeIdle();
  }

  /** Returns a connection that must not be used again. */
  discard(connection: Connection, claim: Claim): void {
    this.#line.leave(claim);
    this.#serve();
    void this.#remove(connection);
  }

  /**
   * Closes idle connections immediately, and the others when they are returned, also those taken later by already accepted requests.
   * Resolves when all are closed.
   */
  async end(): Promise<void> {
    if (this.#ending === undefined) {
      this.#ending = Promise.withResolvers();
      clearTimeout(this.#sweeper);
      this.#removeIdle();
      if (this.#total === 0) this.#ending.resolve();
    }
    await this.#ending.promise;
  }

  async #open(): Promise<Connection> {
    this.#total += 1;
    try {
      return await Connection.open(
        this.#options.connection,
        (connection, error) => this.#onLost(connection, error),
        this.#options.answerLimit,
      );
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  #pick(): Connection | Promise<Connection> {
    const free = this.#idle.pop();
    if (free === undefined) return this.#open();
    free.connection.hold(true);
    return free.connection;
  }

  async #orLeave(claim: Claim, opened: Promise<Connection>): Promise<Connection> {
    try {
      return await opened;
    } catch (error) {
      this.#line.leave(claim);
      this.#serve();
      throw error;
    }
  }

  #wait(claim: Claim, signal: Cancellation | undefined): Promise<Connection> {
    this.#preemptLater();
    return this.#orLeave(claim, waitInLine(this.#line, claim, this.#options.waitTimeout, signal));
  }

  /** Assigns free connections to the next claims. */
  #serve(): void {
    while (this.free > 0 && this.#line.length > 0) {
      const next = this.#line.shift();
      if (next === undefined) return;
      next(this.#pick());
    }
  }

  #preemptLater(): void {
    this.#preemption ??= setInterval(() => {
      this.#line.preempt();
      if (this.#line.length > 0 || this.#line.isCrowded) return;
      clearInterval(this.#preemption);
      this.#preemption = undefined;
    }, preemptionInterval).unref();
  }

  #removeIdle(): void {
    for (const { connection } of this.#idle.splice(0)) void this.#remove(connection);
  }

  async #remove(connection: Connection): Promise<void> {
    await connection.close();
    this.#forget();
  }

  /** A waiting claim gets the place of a closed connection. */
  #forget(): void {
    this.#total -= 1;
    this.#serve();
    if (this.#total === 0 && this.#line.length === 0) this.#ending?.resolve();
  }

  /** A connection in use is returned by its user. */
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
