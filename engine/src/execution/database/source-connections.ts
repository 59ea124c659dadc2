import { LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import type { Cancellation } from "../../cancellation.ts";
import { ConnectionPool } from "../../postgres/connection-pool.ts";
import type { Connection } from "../../postgres/connection.ts";
import type { Lease } from "../../cost/slots.ts";
import { PostgresError } from "../../postgres/messages.ts";

export interface SourceConnectionsOptions {
  readonly connection: LibpqConfig;
  readonly poolSize: number;
  /** In milliseconds; 0 = no limit. */
  readonly statementTimeout: number;
  readonly idleTimeout: number;
  /** Limit of one statement's result in bytes; 0 or absent = unlimited. */
  readonly answerLimit?: number | undefined;
  readonly onConnectionLost: (message: string) => void;
}

/** Time limit to get a connection, in milliseconds. */
const connectionTimeout = 5_000;

/** Idle time in milliseconds after which TCP probes the other end. */
const keepAliveDelay = 10_000;

/** Time in milliseconds beyond Postgres' own statement timeout, after which a silent Postgres counts as lost. */
const answerGrace = 10_000;

/** The connections of one source, with cancellation of their statements. */
export class SourceConnections {
  readonly #options: SourceConnectionsOptions;
  readonly #pool: ConnectionPool;
  readonly #watchdog: Watchdog;
  /** One for each time limit below that of the connections. */
  readonly #limits = new Map<number, Watchdog>();

  constructor(options: SourceConnectionsOptions) {
    this.#options = options;
    const { statementTimeout } = options;
    this.#watchdog = new Watchdog(statementTimeout === 0 ? 0 : statementTimeout + answerGrace);
    this.#pool = new ConnectionPool({
      connection: {
        ...options.connection,
        connectionTimeoutMillis: connectionTimeout,
        // Detects a firewall that drops idle connections before a request does.
        keepAlive: true,
        keepAliveInitialDelayMillis: keepAliveDelay,
        application_name: "routeql-engine",
        // The connections of a read-only engine cannot write, not even through a function. Planning time matters more than JIT here.
        options: `-c default_transaction_read_only=on -c jit=off -c statement_timeout=${statementTimeout}`,
      },
      size: options.poolSize,
      answerLimit: options.answerLimit,
      idleTimeout: options.idleTimeout,
      waitTimeout: connectionTimeout,
      onLost: options.onConnectionLost,
    });
  }

  get statistics() {
    return this.#pool.statistics;
  }

  get free(): number {
    return this.#pool.free;
  }

  /** A connection, for `use`. @throws any error of the pool */
  take(lease: Lease, signal?: Cancellation): Connection | Promise<Connection> {
    return this.#pool.take(lease, signal);
  }

  /**
   * Runs work with a connection in bounded time, and returns the connection to the pool.
   * @param limit milliseconds for the running statement, if fewer than the limit of all statements; 0 = none
   */
  async use<Result>(
    connection: Connection,
    lease: Lease,
    limit: number,
    work: (cancel: () => void) => Promise<Result>,
  ): Promise<Result> {
    let cancelling: Promise<void> | undefined;
    let mustGo = false;
    const cancel = (): void => {
      cancelling ??= this.#cancel(connection.processId);
    };
    const timed = { abandon: cancel };
    const limiting = limit === 0 ? undefined : this.#limiting(limit);
    limiting?.watch(timed);
    this.#watchdog.watch(connection);
    if (lease.isExempt !== true && lease.isHeavy !== true) lease.preempt = cancel;
    try {
      return await work(cancel);
    } catch (error) {
      mustGo = mustReconnect(error);
      throw error;
    } finally {
      lease.preempt = undefined;
      limiting?.release(timed);
      this.#watchdog.release(connection);
      // The connection stays in use until a cancellation is over, so that it cannot hit the next statement.
      if (cancelling !== undefined) await cancelling;
      if (mustGo) this.#pool.discard(connection, lease);
      else this.#pool.give(connection, lease);
    }
  }

  #limiting(limit: number): Watchdog {
    const known = this.#limits.get(limit);
    if (known !== undefined) return known;
    const created = new Watchdog(limit);
    this.#limits.set(limit, created);
    return created;
  }

  async #cancel(processId: number): Promise<void> {
    const client = new LibpqClient({
      ...this.#options.connection,
      connectionTimeoutMillis: connectionTimeout,
      query_timeout: connectionTimeout,
      application_name: "routeql-engine-cancel",
    });
    client.on("error", (error) => this.#options.onConnectionLost(error.message));
    try {
      await client.connect();
      await client.query("SELECT pg_cancel_backend($1)", [processId]);
    } catch (error) {
      this.#options.onConnectionLost(`a statement could not be cancelled: ${(error as Error).message}`);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async end(): Promise<void> {
    await this.#pool.end();
  }
}

/** Whether the connection must be closed: it ends, has outdated prepared statements, or its process reached its memory limit (53200). */
function mustReconnect(error: unknown): boolean {
  return error instanceof PostgresError && /^(?:08...|57P..|0A000|26000|53200)$/.test(error.code);
}

export interface Watched {
  abandon(): void;
}

interface Watch {
  readonly watched: Watched;
  /** `performance.now()` */
  readonly since: number;
}

/** Precision of the limit, in milliseconds. */
const glance = 1_000;

/** Abandons work past a limit: behind a silently broken network Postgres neither answers nor closes. One timer serves all work. */
export class Watchdog {
  readonly #limit: number;
  /**
   * Oldest first, at most one per connection. Not a Map: a Map under constant change is rebuilt again and again, and V8 links each old
   * table to its successor. Once one table is promoted to the old generation, all later ones and their entries stay alive until the next
   * full garbage collection.
   */
  readonly #watches: Watch[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param limit milliseconds; 0 = never */
  constructor(limit: number) {
    this.#limit = limit;
  }

  watch(watched: Watched): void {
    if (this.#limit === 0) return;
    this.#watches.push({ watched, since: performance.now() });
    this.#timer ??= setInterval(() => this.#look(), Math.min(glance, this.#limit)).unref();
  }

  release(watched: Watched): void {
    const position = this.#watches.findIndex((watch) => watch.watched === watched);
    if (position !== -1) this.#watches.splice(position, 1);
  }

  #look(): void {
    const oldest = performance.now() - this.#limit;
    const late = this.#watches.findIndex(({ since }) => since > oldest);
    const expired = this.#watches.splice(0, late === -1 ? this.#watches.length : late);
    for (const { watched } of expired) watched.abandon();
    if (this.#watches.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
