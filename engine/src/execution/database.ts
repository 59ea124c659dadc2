import { LRUCache } from "lru-cache";
import pg from "pg";
import { EngineError } from "../errors.ts";

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
  readonly values: readonly unknown[];
}

type Row = readonly (string | null)[];

/** Named statements that one connection keeps prepared. */
const preparedPerConnection = 250;

const asText = { getTypeParser: () => (value: unknown) => value };

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

/** What node-postgres keeps but does not type. */
interface ClientInternals {
  readonly processID?: number;
  readonly connection?: { readonly parsedStatements?: Record<string, string> };
}

const internals = (client: pg.PoolClient) => client as unknown as ClientInternals;

/** One source's connections. Values travel as text both ways: what Postgres prints is what clients get. */
export class Database {
  readonly #pool: pg.Pool;
  readonly #options: DatabaseOptions;
  readonly #names = new PreparedNames();
  readonly #prepared = new WeakMap<pg.PoolClient, Set<string>>();

  constructor(options: DatabaseOptions) {
    this.#options = options;
    this.#pool = new pg.Pool({
      ...options.connection,
      max: options.poolSize,
      idleTimeoutMillis: options.idleTimeout,
      connectionTimeoutMillis: 5_000,
      allowExitOnIdle: true,
      application_name: "routeql-engine",
      // A read engine's connections cannot write, whatever a function tries. Planning time matters more than JIT here.
      options: `-c default_transaction_read_only=on -c jit=off -c statement_timeout=${options.statementTimeout}`,
    });
    this.#pool.on("error", (error) => options.onConnectionLost(error.message));
  }

  get statistics() {
    return { total: this.#pool.totalCount, idle: this.#pool.idleCount, waiting: this.#pool.waitingCount };
  }

  /** Runs one statement. @throws EngineError, or the signal's reason */
  async run(run: Run, signal?: AbortSignal): Promise<readonly Row[]> {
    const [rows = []] = await this.runAll([run], signal);
    return rows;
  }

  /** Runs statements one after another on one connection; several see one and the same state of the database. */
  async runAll(runs: readonly Run[], signal?: AbortSignal): Promise<readonly (readonly Row[])[]> {
    signal?.throwIfAborted();
    const client = await this.#connect();
    const cancel = this.#cancelOn(signal, client);
    let broken: Error | undefined;
    // A connection that dies between two statements says so by an event, which nobody else listens to while it is taken.
    const onError = (error: Error) => {
      broken = error;
      this.#options.onConnectionLost(error.message);
    };
    client.on("error", onError);
    try {
      if (runs.length === 1 && runs[0] !== undefined) return [await this.#query(client, runs[0])];
      await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      const results: (readonly Row[])[] = [];
      const start = performance.now();
      try {
        for (const run of runs) {
          signal?.throwIfAborted();
          this.#refuseLate(start);
          results.push(await this.#query(client, run));
        }
      } finally {
        await client.query("ROLLBACK").catch((error: Error) => (broken = error));
      }
      return results;
    } catch (error) {
      if (isConnectionError(error)) broken = error as Error;
      if (signal?.aborted === true) throw signal.reason;
      throw databaseError(error, runs);
    } finally {
      await cancel.settled();
      client.off("error", onError);
      client.release(broken);
    }
  }

  /** Many statements of one request together get no more time than one. */
  #refuseLate(start: number): void {
    const { statementTimeout } = this.#options;
    if (statementTimeout > 0 && performance.now() - start > statementTimeout) {
      throw new EngineError({ code: "timeout", message: "the statements of the request took longer than the limit" });
    }
  }

  async #connect(): Promise<pg.PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw databaseError(error, []);
    }
  }

  async #query(client: pg.PoolClient, { text, values }: Run): Promise<readonly Row[]> {
    const name = this.#names.nameOf(text);
    if (name !== undefined) await this.#keep(client, name);
    const result = await client.query<(string | null)[]>({ text, values: [...values], rowMode: "array", types: asText, ...(name === undefined ? {} : { name }) });
    return result.rows;
  }

  async #keep(client: pg.PoolClient, name: string): Promise<void> {
    const names = this.#prepared.get(client) ?? new Set<string>();
    this.#prepared.set(client, names);
    names.delete(name);
    names.add(name);
    if (names.size <= preparedPerConnection) return;
    const [oldest] = names;
    if (oldest === undefined) return;
    names.delete(oldest);
    delete internals(client).connection?.parsedStatements?.[oldest];
    await client.query(`DEALLOCATE "${oldest}"`).catch(() => undefined);
  }

  /** The connection stays taken until the cancellation is over, so that it cannot hit the next one's statement. */
  #cancelOn(signal: AbortSignal | undefined, client: pg.PoolClient): { settled(): Promise<void> } {
    let cancelling: Promise<void> | undefined;
    const onAbort = () => {
      cancelling = this.#cancel(internals(client).processID);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    return {
      settled: async () => {
        signal?.removeEventListener("abort", onAbort);
        await cancelling;
      },
    };
  }

  async #cancel(processId: number | undefined): Promise<void> {
    if (processId === undefined) return;
    const client = new pg.Client({ ...this.#options.connection, connectionTimeoutMillis: 5_000, application_name: "routeql-engine-cancel" });
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

function isConnectionError(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return typeof code !== "string" || !/^[0-9A-Z]{5}$/.test(code) || code.startsWith("08") || code.startsWith("57P");
}

/** Class 22 is about the request's own values, so its message helps the client; everything else stays internal. */
function databaseError(error: unknown, runs: readonly Run[]): unknown {
  if (error instanceof EngineError) return error;
  const { code, message, detail, hint } = error as { code?: string; message: string; detail?: string; hint?: string };
  if (isConnectionError(error) || code === "53300") {
    return new EngineError({ code: "postgres-error", message: "connection error", status: 503, internal: { error: message }, cause: error });
  }
  if (code === "57014") return new EngineError({ code: "timeout", message: "the statement took longer than the limit and was cancelled", cause: error });
  if (code === "22025") return new EngineError({ code: "bad-request", message, cause: error });
  if (code?.startsWith("22") === true) return new EngineError({ code: "data-exception", message, cause: error });
  return new EngineError({
    code: "unexpected",
    message: "database query error",
    internal: { error: { status_code: code, message, description: detail ?? null, hint: hint ?? null }, statement: runs[0]?.text },
    cause: error,
  });
}
