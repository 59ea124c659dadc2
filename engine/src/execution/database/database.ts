import { inSpan, type Span } from "@routeql/tracing/span";
import { exceeds } from "../../cost/limits.ts";
import { EngineError } from "../../errors.ts";
import { lengthOf, textOf } from "../../postgres/bytes.ts";
import type { Connection, Row, Statement } from "../../postgres/connection.ts";
import type { Lease } from "../../cost/slots.ts";
import { PostgresError } from "../../postgres/messages.ts";
import { arrayText } from "../../schema/values.ts";
import { integer, sql, type Sql, trusted } from "../../sql/sql.ts";
import type { Cancellation } from "../../cancellation.ts";
import { databaseError, isCancelled, isConnectionError } from "./database-error.ts";
import { type KnownStatement, KnownStatements } from "./known-statements.ts";
import { SharedTurns } from "./shared-turns.ts";
import { SourceConnections, type SourceConnectionsOptions } from "./source-connections.ts";

export interface Run {
  readonly text: Sql;
  /** Text, null, or a list of both for an array. */
  readonly values: readonly unknown[];
  /** Whether it may share a transaction with statements of other requests. False when it calls functions, which could change the transaction. */
  readonly mayShare?: boolean;
}

export interface Asker {
  readonly signal?: Cancellation | undefined;
  /** All statements of one client use one share of the connections; default: the engine itself. */
  readonly client?: string | undefined;
  /** The client's own time limit in milliseconds; 0 for none. */
  readonly timeout?: number | undefined;
  readonly span?: Span | undefined;
}

/** Attributes of a statement. Its text is omitted, because it contains the aliases and literals of the client. */
const statementAttributes = { "db.system.name": "postgresql", "db.operation.name": "SELECT" };
const changeAttributes = { ...statementAttributes, "db.operation.name": "CHANGE" };

type StatementAttributes = typeof statementAttributes;

interface Transaction {
  readonly begin: Sql;
  readonly end: () => Promise<void>;
}

/** Isolation of a transaction that changes data, as in metadata. */
export type Isolation = "read-committed" | "repeatable-read" | "serializable";

/** Limit of the wait for a row that another transaction has locked, in milliseconds. */
const lockTimeout = 5_000;

/** The client of the engine's own statements. */
const ownClient = "";

export interface DatabaseOptions extends SourceConnectionsOptions {
  readonly isolation?: Isolation | undefined;
  readonly sharing?: SharingLimits;
}

/** When statements of several requests share a transaction; in milliseconds. */
export interface SharingLimits {
  /** The last runs of the statement were all shorter. */
  readonly quick: number;
  /** Time limit of a shared turn; afterwards each statement runs alone. */
  readonly patience: number;
}

/** Longer statements do not benefit: their own time then far exceeds the time to begin, send and end a transaction. */
const defaultSharing: SharingLimits = { quick: 3, patience: 100 };

export type TextRow = readonly (string | null)[];

/** Runs one statement of a transaction; a path becomes part of its error. */
export type Ask = (run: Run, path?: string) => Promise<readonly Row[]>;

/** Runs statements on one source. Values travel as text in both directions: clients receive Postgres' own output. */
export class Database {
  readonly #statementTimeout: number;
  readonly #connections: SourceConnections;
  readonly #sharedTurns: SharedTurns;
  readonly #known = new KnownStatements();
  readonly #quick: number;
  readonly #answerLimit: number;
  readonly #isolation: Isolation;
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    const { statementTimeout, answerLimit = 0, sharing = defaultSharing, isolation = "read-committed" } = options;
    this.#isolation = isolation;
    this.#answerLimit = answerLimit;
    this.#statementTimeout = statementTimeout;
    this.#connections = new SourceConnections(options);
    this.#sharedTurns = new SharedTurns(this.#connections, sharing.patience);
    this.#quick = sharing.quick;
  }

  get statistics() {
    const { total, idle, waiting } = this.#connections.statistics;
    return { total, idle, waiting: waiting + this.#sharedTurns.joined };
  }

  /** Runs one statement. @throws EngineError, or the signal's reason */
  async run(run: Run, asker: Asker = {}): Promise<readonly TextRow[]> {
    const [rows = []] = await this.runAll([run], asker);
    return rows.map((row) => row.map((value) => (value === null ? null : textOf(value))));
  }

  /** Runs statements on one connection, several in one snapshot; ends in bounded time. @throws EngineError, or the signal's reason */
  async runAll(runs: readonly Run[], asker: Asker = {}): Promise<readonly (readonly Row[])[]> {
    const { signal, client = ownClient, span } = asker;
    signal?.throwIfAborted();
    try {
      if (this.#isClosed) throw new Error("the connections are closed");
      const shared = this.#connections.free <= 1 ? await this.#share(runs, client, signal, span) : undefined;
      if (shared !== undefined) return [shared];
      return await this.#leased(asker, (connection) => {
        const [only] = runs;
        return runs.length === 1 && only !== undefined
          ? this.#query(connection, only, span).then((rows) => [rows])
          : this.#together(connection, runs, asker);
      });
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw databaseError(error, runs[0]?.text);
    }
  }

  /** Runs statements in one transaction. @param end its last statement; with ROLLBACK all see one snapshot @throws any error; then nothing changed */
  async change<Result>(
    work: (ask: Ask) => Promise<Result>,
    asker: Asker = {},
    end: "COMMIT" | "ROLLBACK" = "COMMIT",
  ): Promise<Result> {
    const { signal } = asker;
    signal?.throwIfAborted();
    try {
      if (this.#isClosed) throw new Error("the connections are closed");
      return await this.#leased(asker, (connection, lease) => {
        const level =
          end === "ROLLBACK" ? sql`REPEATABLE READ` : trusted(this.#isolation.replace("-", " ").toUpperCase());
        const change: Transaction = {
          begin: sql`BEGIN ISOLATION LEVEL ${level} READ WRITE; SET LOCAL lock_timeout = ${integer(String(lockTimeout))}`,
          end: () => {
            lease.preempt = undefined;
            return end === "COMMIT" ? commit(connection) : connection.command(sql`ROLLBACK`);
          },
        };
        return this.#transaction(connection, change, work, asker, changeAttributes);
      });
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw databaseError(error, undefined);
    }
  }

  /** @param attributes of the span of each statement */
  async #transaction<Result>(
    connection: Connection,
    { begin, end }: Transaction,
    work: (ask: Ask) => Promise<Result>,
    { signal, span }: Asker,
    attributes: StatementAttributes,
  ): Promise<Result> {
    await connection.command(begin);
    const start = performance.now();
    let bytes = 0;
    const ask = async (run: Run, path?: string): Promise<readonly Row[]> => {
      signal?.throwIfAborted();
      this.#refuseLate(start);
      try {
        const rows = await this.#query(connection, run, span, attributes);
        bytes += bytesOf(rows);
        if (exceeds(bytes, this.#answerLimit)) throw tooLarge(this.#answerLimit);
        return rows;
      } catch (error) {
        // The caller runs a preempted transaction again.
        throw isCancelled(error) || path === undefined ? error : databaseError(error, run.text, path);
      }
    };
    let result: Result;
    try {
      result = await work(ask);
      signal?.throwIfAborted();
    } catch (error) {
      if (connection.isUsable) await connection.command(sql`ROLLBACK`);
      throw error;
    }
    await end();
    return result;
  }

  /** Runs work on a connection of the client's share; once more when it was preempted for other clients. */
  async #leased<Result>(
    asker: Asker,
    work: (connection: Connection, lease: Lease) => Promise<Result>,
  ): Promise<Result> {
    const { signal, client = ownClient, timeout = 0 } = asker;
    let waited = 0;
    const once = async (lease: Lease): Promise<Result> => {
      const taken = this.#connections.take(lease, signal);
      // Awaiting a connection that is already available would cost as much as finding it.
      let connection: Connection;
      if (taken instanceof Promise) {
        const began = performance.now();
        connection = await taken;
        waited = performance.now() - began;
      } else connection = taken;
      return this.#connections.use(connection, lease, timeout, (cancel) =>
        cancellable(signal, cancel, () => work(connection, lease)),
      );
    };
    const lease: Lease = { client, isExempt: client === ownClient };
    try {
      return await once(lease);
    } catch (error) {
      // Preempted for other clients after its first slice; it restarts when a connection for heavy statements is free.
      if (lease.isPreempted !== true || signal?.aborted === true || !isCancelled(error)) throw error;
      return await once({ client, isHeavy: true, waited });
    }
  }

  /** The rows of one quick statement in a shared turn; undefined when sharing is impossible or fails. */
  async #share(
    [run, ...others]: readonly Run[],
    client: string,
    signal: Cancellation | undefined,
    span: Span | undefined,
  ): Promise<readonly Row[] | undefined> {
    if (run?.mayShare !== true || others.length > 0) return undefined;
    const known = this.#known.of(run.text);
    if (known?.isQuickerThan(this.#quick) !== true) return undefined;
    return inSpan(span, "SELECT", "client", { ...statementAttributes, "routeql.shared": true }, () =>
      this.#sharedTurns.ask(client, statementOf(run, known), known, signal),
    );
  }

  #together(connection: Connection, runs: readonly Run[], asker: Asker): Promise<readonly (readonly Row[])[]> {
    const snapshot: Transaction = {
      begin: sql`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`,
      end: () => connection.command(sql`ROLLBACK`),
    };
    const inSequence = async (ask: Ask): Promise<readonly (readonly Row[])[]> => {
      const results: (readonly Row[])[] = [];
      for (const run of runs) results.push(await ask(run));
      return results;
    };
    return this.#transaction(connection, snapshot, inSequence, asker, statementAttributes);
  }

  /** All statements of one request share the time limit of one statement. */
  #refuseLate(start: number): void {
    if (this.#statementTimeout > 0 && performance.now() - start > this.#statementTimeout) {
      throw new EngineError({ code: "timeout", message: "the statements of the request took longer than the limit" });
    }
  }

  async #query(
    connection: Connection,
    run: Run,
    span: Span | undefined,
    attributes: StatementAttributes = statementAttributes,
  ): Promise<readonly Row[]> {
    const known = this.#known.use(run.text);
    const start = performance.now();
    try {
      const rows = await inSpan(span, attributes["db.operation.name"], "client", attributes, () =>
        connection.query(statementOf(run, known)),
      );
      known.ran(performance.now() - start);
      return rows;
    } catch (error) {
      known.failed();
      throw error;
    }
  }

  /** Rejects new statements. Accepted statements still finish, also those that wait for a shared turn or a connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connections.end();
  }
}

/** @throws EngineError; its message tells whether the outcome is known */
async function commit(connection: Connection): Promise<void> {
  try {
    await connection.command(sql`COMMIT`);
  } catch (error) {
    // Hasura's error for a deferred constraint or trigger that fails. Limits of this engine keep their own.
    if (error instanceof PostgresError && !isConnectionError(error) && !/^5[37]/.test(error.code))
      throw new EngineError({ code: "postgres-error", message: "postgres tx error", cause: error });
    if (!isConnectionError(error)) throw error;
    throw new EngineError({
      code: "postgres-error",
      status: 503,
      reason: "database",
      message:
        "the database connection was lost during COMMIT, so the change may or may not be stored. Read the rows before you repeat the request",
      cause: error,
    });
  }
}

async function cancellable<Result>(
  signal: Cancellation | undefined,
  cancel: () => void,
  work: () => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  signal?.addEventListener("abort", cancel);
  try {
    return await work();
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
}

function statementOf({ text, values }: Run, { name }: KnownStatement): Statement {
  return { text, name, values: values.map(parameterText) };
}

function parameterText(value: unknown): string | null {
  if (typeof value === "string" || value === null) return value;
  if (Array.isArray(value)) return arrayText(value as readonly (string | null)[]);
  throw new TypeError("values of statements are text, null or lists of both");
}

function bytesOf(rows: readonly Row[]): number {
  let bytes = 0;
  for (const row of rows) for (const value of row) bytes += value === null ? 0 : lengthOf(value);
  return bytes;
}

function tooLarge(limit: number): EngineError {
  return new EngineError({
    code: "unexpected",
    message: `the answers are larger than the limit of ${limit} bytes. Request less at once`,
  });
}
