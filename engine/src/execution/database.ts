import { LRUCache } from "lru-cache";
import pg from "pg";
import { EngineError } from "../errors.ts";
import { textOf } from "../postgres/bytes.ts";
import type { Connection, Row } from "../postgres/connection.ts";
import { ConnectionPool } from "../postgres/connection-pool.ts";
import { PostgresError } from "../postgres/postgres-error.ts";
import { Watchdog } from "../postgres/watchdog.ts";
import { arrayText } from "../schema/values.ts";
import type { Cancellation } from "./cancellation.ts";

export interface DatabaseOptions {
  readonly connection: pg.ClientConfig;
  readonly poolSize: number;
  /** Milliseconds; 0 = never. */
  readonly statementTimeout: number;
  readonly idleTimeout: number;
  readonly onConnectionLost: (message: string) => void;
}

export interface Run {
  readonly text: string;
  /** Text, null, or a list of both for an array. */
  readonly values: readonly unknown[];
}

type TextRow = readonly (string | null)[];

/** Milliseconds to get a connection in. */
const connectionTimeout = 5_000;

/** Statements that ran once already are prepared from then on, each connection keeping the latest of them. */
class PreparedNames {
  readonly #names = new LRUCache<string, { name: string | undefined }>({ max: 2_000 });
  #last = 0;

  nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known === undefined) {
      this.#names.set(text, { name: undefined });
      return undefined;
    }
    if (known.name === undefined) {
      this.#last += 1;
      known.name = `rq${this.#last}`;
    }
    return known.name;
  }
}

/** Milliseconds of silence after which TCP asks whether the other end is still there. */
const keepAliveDelay = 10_000;

/** Milliseconds that Postgres gets beyond its own statement timeout, before its silence is taken for its end. */
const answerGrace = 10_000;

/** One source's connections. Values travel as text both ways: what Postgres prints is what clients get. */
export class Database {
  readonly #pool: ConnectionPool;
  readonly #options: DatabaseOptions;
  readonly #names = new PreparedNames();
  readonly #watchdog: Watchdog;

  constructor(options: DatabaseOptions) {
    this.#options = options;
    const { statementTimeout } = options;
    this.#watchdog = new Watchdog(statementTimeout === 0 ? 0 : statementTimeout + answerGrace);
    this.#pool = new ConnectionPool({
      connection: {
        ...options.connection,
        connectionTimeoutMillis: connectionTimeout,
        // A firewall that forgets quiet connections is noticed before a request is.
        keepAlive: true,
        keepAliveInitialDelayMillis: keepAliveDelay,
        application_name: "routeql-engine",
        // A read engine's connections cannot write, whatever a function tries. Planning time matters more than JIT here.
        options: `-c default_transaction_read_only=on -c jit=off -c statement_timeout=${options.statementTimeout}`,
      },
      size: options.poolSize,
      idleTimeout: options.idleTimeout,
      waitTimeout: connectionTimeout,
      onLost: options.onConnectionLost,
    });
  }

  get statistics() {
    return this.#pool.statistics;
  }

  /** Runs one statement. @throws EngineError, or the signal's reason */
  async run(run: Run, signal?: Cancellation): Promise<readonly TextRow[]> {
    const [rows = []] = await this.runAll([run], signal);
    return rows.map((row) => row.map((value) => (value === null ? null : textOf(value))));
  }

  /**
   * Runs statements one after another on one connection; several see one and the same state of the database. Ends in bounded time,
   * also when Postgres neither answers nor ends the connection.
   * @throws EngineError, or the signal's reason
   */
  async runAll(runs: readonly Run[], signal?: Cancellation): Promise<readonly (readonly Row[])[]> {
    signal?.throwIfAborted();
    const taken = this.#connect();
    // Each wait for what is there already would cost as much as finding it.
    const connection = taken instanceof Promise ? await taken : taken;
    let cancelling: Promise<void> | undefined;
    const cancel = (): void => {
      cancelling = this.#cancel(connection.processId);
    };
    signal?.addEventListener("abort", cancel);
    this.#watchdog.watch(connection);
    let mustGo = false;
    try {
      signal?.throwIfAborted();
      const [only] = runs;
      return runs.length === 1 && only !== undefined ? [await this.#query(connection, only)] : await this.#together(connection, runs, signal);
    } catch (error) {
      mustGo = mustReconnect(error);
      if (signal?.aborted === true) throw signal.reason;
      throw databaseError(error, runs);
    } finally {
      this.#watchdog.release(connection);
      signal?.removeEventListener("abort", cancel);
      // The connection stays taken until a cancellation is over, so that it cannot hit the next one's statement.
      if (cancelling !== undefined) await cancelling;
      if (mustGo) this.#pool.discard(connection);
      else this.#pool.give(connection);
    }
  }

  async #together(connection: Connection, runs: readonly Run[], signal: Cancellation | undefined): Promise<readonly (readonly Row[])[]> {
    await connection.command("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const results: (readonly Row[])[] = [];
    const start = performance.now();
    try {
      for (const run of runs) {
        signal?.throwIfAborted();
        this.#refuseLate(start);
        results.push(await this.#query(connection, run));
      }
    } finally {
      await connection.command("ROLLBACK");
    }
    return results;
  }

  /** Many statements of one request together get no more time than one. */
  #refuseLate(start: number): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout > 0 && performance.now() - start > statementTimeout) {
      throw new EngineError({ code: "timeout", message: "the statements of the request took longer than the limit" });
    }
  }

  /** @throws EngineError, also as a rejection */
  #connect(): Connection | Promise<Connection> {
    const failed = (error: unknown): never => {
      throw databaseError(error, []);
    };
    try {
      const taken = this.#pool.take();
      return taken instanceof Promise ? taken.catch(failed) : taken;
    } catch (error) {
      return failed(error);
    }
  }

  #query(connection: Connection, { text, values }: Run): Promise<readonly Row[]> {
    return connection.query({ text, name: this.#names.nameOf(text), values: values.map(parameterText) });
  }

  async #cancel(processId: number): Promise<void> {
    const client = new pg.Client({ ...this.#options.connection, connectionTimeoutMillis: connectionTimeout, query_timeout: connectionTimeout, application_name: "routeql-engine-cancel" });
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

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

function parameterText(value: unknown): string | null {
  if (typeof value === "string" || value === null) return value;
  if (Array.isArray(value)) return arrayText(value as readonly (string | null)[]);
  throw new TypeError("values of statements are text, null or lists of both");
}

function isConnectionError(error: unknown): boolean {
  if (error instanceof EngineError) return false;
  return !(error instanceof PostgresError) || error.code.startsWith("08") || error.code.startsWith("57P");
}

/**
 * Whether the connection is not to be used again: it ends, or a statement that it keeps prepared does not fit the database any more,
 * e.g. after a migration.
 */
function mustReconnect(error: unknown): boolean {
  return error instanceof PostgresError && /^(?:08...|57P..|0A000|26000)$/.test(error.code);
}

/** Class 22 is about the request's own values, so its message helps the client; what Hasura shows else is an object that is not there. */
function databaseError(error: unknown, runs: readonly Run[]): unknown {
  if (error instanceof EngineError) return error;
  const { code, message, detail, hint } = error as { code?: string; message: string; detail?: string; hint?: string };
  if (isConnectionError(error) || code === "53300") {
    return new EngineError({ code: "postgres-error", message: "connection error", status: 503, internal: { error: message }, cause: error });
  }
  if (code === "57014") return new EngineError({ code: "timeout", message: "the statement took longer than the limit and was cancelled", cause: error });
  if (code === "22025") return new EngineError({ code: "bad-request", message, cause: error });
  if (code?.startsWith("22") === true) return new EngineError({ code: "data-exception", message, cause: error });
  if (code === "42704") return new EngineError({ code: "constraint-error", message, cause: error });
  return new EngineError({
    code: "unexpected",
    message: "database query error",
    internal: { error: { status_code: code, message, description: detail ?? null, hint: hint ?? null }, statement: runs[0]?.text },
    cause: error,
  });
}
