import type { LibpqConfig } from "@routeql/contract/connection/client";
import { mostHeavy } from "@routeql/contract/most-heavy";
import type { Cancellation } from "../cancellation.ts";
import { type Lease, Slots } from "../cost/slots.ts";
import { databaseLost, EngineError } from "../errors.ts";
import { Connection } from "./connection.ts";

export interface ConnectionPoolOptions {
  readonly connection: LibpqConfig;
  readonly size: number;
  /** Limit of the results of one turn, in bytes; 0 or absent = unlimited. */
  readonly answerLimit?: number | undefined;
  /** Time in milliseconds after which an idle connection is closed. */
  readonly idleTimeout: number;
  /** Time in milliseconds that a lease waits for a connection; a heavy lease waits twice as long. */
  readonly waitTimeout: number;
  /** Called when a connection ends by itself. */
  readonly onLost: (message: string) => void;
}

interface Idle {
  readonly connection: Connection;
  readonly since: number;
}

/** A bounded number of connections, opened on demand. Each open connection that is not idle belongs to a lease. */
export class ConnectionPool {
  readonly #options: ConnectionPoolOptions;
  readonly #slots: Slots;
  /** Last in, first out, so that a quiet pool shrinks. */
  readonly #idle: Idle[] = [];
  /** Connections that are open or being opened or closed. */
  #total = 0;
  /** `performance.now()`: when a statement last ended or a connection opened. */
  #answeredAt = Number.NEGATIVE_INFINITY;
  #sweeper: NodeJS.Timeout | undefined;
  #ending: PromiseWithResolvers<void> | undefined;

  constructor(options: ConnectionPoolOptions) {
    this.#options = options;
    this.#slots = new Slots(options.size, options.waitTimeout);
  }

  get statistics() {
    return { total: this.#total, idle: this.#idle.length, waiting: this.#slots.waiting };
  }

  /** Connections that are available without waiting. */
  get free(): number {
    return this.#slots.free;
  }

  /** A connection; return it with the same lease. @throws any error of opening it, and as {@link Slots.take} does */
  take(lease: Lease, signal?: Cancellation): Promise<Connection> | Connection {
    const began = performance.now();
    const waiting = this.#slots.take(lease, signal);
    if (waiting === undefined) return this.#pick(lease);
    return waiting.then(
      () => this.#pick(lease),
      (error: unknown) => {
        throw this.#wasSilent(error, began) ? databaseLost(error, "no connection answered", error.retryAfter) : error;
      },
    );
  }

  give(connection: Connection, lease: Lease): void {
    if (
      !connection.isUsable ||
      connection.isInTransaction ||
      (this.#ending !== undefined && this.#slots.waiting === 0)
    ) {
      this.discard(connection, lease);
      return;
    }
    this.#answeredAt = performance.now();
    connection.hold(false);
    this.#idle.push({ connection, since: performance.now() });
    this.#slots.give(lease);
    this.#sweepLater();
  }

  /** Returns a connection that must not be used again. Its slot becomes free when it is closed. */
  discard(connection: Connection, lease: Lease): void {
    void connection.close().then(() => this.#closed(lease));
  }

  /** Closes idle connections now, and others when they are returned, also those taken later. Resolves when all are closed. */
  async end(): Promise<void> {
    if (this.#ending === undefined) {
      this.#ending = Promise.withResolvers();
      clearTimeout(this.#sweeper);
      this.#close(this.#idle.splice(0));
      if (this.#total === 0) this.#ending.resolve();
    }
    await this.#ending.promise;
  }

  /** Whether a lease waited in vain for a database that answers nothing. A busy one ends quick statements, which heavy ones leave slots for. */
  #wasSilent(error: unknown, began: number): error is EngineError {
    const { size } = this.#options;
    return (
      error instanceof EngineError && error.reason === "wait" && this.#answeredAt < began && size > mostHeavy(size)
    );
  }

  #pick(lease: Lease): Connection | Promise<Connection> {
    const idle = this.#idle.pop();
    if (idle === undefined) return this.#open(lease);
    idle.connection.hold(true);
    return idle.connection;
  }

  async #open(lease: Lease): Promise<Connection> {
    this.#total += 1;
    try {
      const opened = await Connection.open(
        this.#options.connection,
        (connection, error) => this.#onLost(connection, error),
        this.#options.answerLimit,
      );
      this.#answeredAt = performance.now();
      return opened;
    } catch (error) {
      this.#closed(lease);
      throw error;
    }
  }

  #closed(lease: Lease): void {
    this.#total -= 1;
    this.#slots.give(lease);
    if (this.#total === 0 && this.#slots.waiting === 0) this.#ending?.resolve();
  }

  /** Closes idle connections, which keep their slots meanwhile. */
  #close(connections: readonly Idle[]): void {
    for (const { connection } of connections) {
      const lease = { client: "", isExempt: true };
      void this.#slots.take(lease);
      this.discard(connection, lease);
    }
  }

  /** A connection in use is returned by its user. */
  #onLost(connection: Connection, error: Error): void {
    this.#options.onLost(error.message);
    const position = this.#idle.findIndex((idle) => idle.connection === connection);
    if (position !== -1) this.#close(this.#idle.splice(position, 1));
  }

  #sweepLater(): void {
    this.#sweeper ??= setTimeout(() => {
      this.#sweeper = undefined;
      const oldest = performance.now() - this.#options.idleTimeout;
      const kept = this.#idle.findIndex(({ since }) => since > oldest);
      this.#close(this.#idle.splice(0, kept === -1 ? this.#idle.length : kept));
      if (this.#idle.length > 0 && this.#ending === undefined) this.#sweepLater();
    }, this.#options.idleTimeout).unref();
  }
}
