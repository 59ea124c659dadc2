import { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import { LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import pg from "pg";
import { serialize } from "pg-protocol";
import { EngineError } from "../errors.ts";
import type { Sql } from "../sql/sql.ts";
import { byteString, longestCopied, type Bytes } from "./bytes.ts";
import { MessageReader, PostgresError, statementMessages } from "./messages.ts";

/** Columns of a row: Postgres' text in bytes, or null. */
export type Row = readonly (Bytes | null)[];

export interface Statement {
  readonly text: Sql;
  /** Name of the statement prepared on this connection; without a name it is used once. */
  readonly name: string | undefined;
  readonly values: readonly (string | null)[];
}

/** Maximum number of named statements per connection. */
const mostPrepared = 250;

const letter = (character: string): number => character.charCodeAt(0);
const closeComplete = letter("3");
const commandComplete = letter("C");
const dataRow = letter("D");
const errorResponse = letter("E");
const parseComplete = letter("1");
const readyForQuery = letter("Z");
/** Status in {@link readyForQuery} outside of a transaction. */
const idle = letter("I");

export interface TurnAnswers {
  /** Rows of each finished statement, from the first on. */
  readonly finished: readonly (readonly Row[])[];
  /** Why the next one failed; later ones were not run. */
  readonly error: Error | undefined;
}

/** An expected answer of Postgres, which answers one turn at a time. */
interface Pending {
  readonly finished: (readonly Row[])[];
  rows: Row[];
  /** For each parsed statement, the name that becomes prepared when Postgres confirms it, if any. */
  readonly preparing: (string | undefined)[];
  /** Names of statements that Postgres has not closed yet. It skips them after a failure. */
  readonly closing: string[];
  error: Error | undefined;
  readonly resolve: (answers: TurnAnswers) => void;
  readonly reject: (error: Error) => void;
}

/** Bytes of one read: the amount that Node offers. */
const readSize = 65_536;

/** A socket that reads into one buffer. Node allocates 64 KiB for each read, which for short answers costs more than reading them. */
class ReusingSocket extends Socket {
  /** Whether the listener of `data` needs each chunk only until it returns. */
  isReused = false;

  constructor() {
    const buffer = Buffer.allocUnsafeSlow(readSize);
    const callback = (length: number): boolean => {
      const chunk = buffer.subarray(0, length);
      this.emit("data", this.isReused ? chunk : Buffer.from(chunk));
      return true;
    };
    super({ onread: { buffer, callback } });
  }
}

/** The socket of a connection, and the number of its process in Postgres. */
interface Introduced {
  readonly processId: number;
  readonly socket: Socket;
}

/** node-postgres gives the socket of a connection only to a query. */
function introduce(client: pg.Client): Promise<Introduced> {
  return new Promise((resolve, reject) => {
    let socket: Socket;
    const query = new pg.Query<{ pid: number }>("SELECT pg_backend_pid() AS pid", (error, result) => {
      const [row] = (result as typeof result | undefined)?.rows ?? [];
      if (row === undefined) reject(error ?? new Error("the database did not return the number of its process"));
      else resolve({ processId: row.pid, socket });
    });
    const { submit } = query;
    query.submit = (connection) => {
      socket = connection.stream as Socket;
      return submit.call(query, connection);
    };
    client.query(query);
  });
}

/** A connection with rows as Postgres' bytes. node-postgres opens and closes it; its decoding would be half of a query's cost. */
export class Connection {
  /** Identifies the connection to `pg_cancel_backend`. */
  readonly processId: number;
  readonly #client: pg.Client;
  readonly #socket: Socket;
  readonly #reader: MessageReader;
  /** Names of prepared statements. Not a Set, for the reason in Watchdog. */
  readonly #prepared = new LRUCache<string, string>({ max: mostPrepared });
  #pending: Pending | undefined;
  #isInTransaction = false;
  #lost: Error | undefined;

  private constructor(client: pg.Client, { processId, socket }: Introduced, answerLimit: number) {
    this.processId = processId;
    this.#client = client;
    this.#socket = socket;
    this.#reader = new MessageReader(
      {
        message: (type, data, start, end) => this.#take(type, data, start, end),
        refuse: () => this.#refuse(answerLimit),
      },
      answerLimit,
    );
    socket.removeAllListeners("data").on("data", (chunk: Buffer) => this.#reader.take(chunk));
    // Over TLS, it is another socket, which allocates its chunks.
    if (socket instanceof ReusingSocket) socket.isReused = true;
  }

  /** @param onLost called for an end without close @param answerLimit bytes of one turn's results; 0 = unlimited @throws no connection */
  static async open(
    config: LibpqConfig,
    onLost: (connection: Connection, error: Error) => void,
    answerLimit = 0,
  ): Promise<Connection> {
    const client = new LibpqClient({
      ...config,
      query_timeout: config.connectionTimeoutMillis,
      stream: () => new ReusingSocket(),
    });
    let connection: Connection | undefined;
    client.on("error", (error) => {
      if (connection === undefined) return; // then connect() or the first query fails with it
      connection.#end(error);
      onLost(connection, error);
    });
    await client.connect();
    try {
      connection = new Connection(client, await introduce(client), answerLimit);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    return connection;
  }

  get isUsable(): boolean {
    return this.#lost === undefined && this.#pending === undefined;
  }

  /** Whether a transaction is open, also a failed one, such as after the cancellation of its end. */
  get isInTransaction(): boolean {
    return this.#isInTransaction;
  }

  /** Whether it keeps the process alive. */
  hold(yes: boolean): void {
    if (yes) this.#socket.ref();
    else this.#socket.unref();
  }

  /** Runs one statement. @throws PostgresError, or the error that closed the connection */
  async query(statement: Statement): Promise<readonly Row[]> {
    const { finished, error } = await this.queryAll([statement]);
    if (error !== undefined) throw error;
    return finished[0] ?? [];
  }

  /** Sends statements together in one transaction; the first failure ends it. @throws the error that closed the connection */
  queryAll(statements: readonly Statement[]): Promise<TurnAnswers> {
    const preparing: (string | undefined)[] = [];
    const closing: string[] = [];
    const messages = statements.map(({ text, name, values }) => {
      if (name !== undefined && this.#prepared.get(name) !== undefined)
        return { name, parse: undefined, close: undefined, values };
      if (name === undefined || !preparing.includes(name)) {
        preparing.push(name);
        const close = name === undefined ? undefined : this.#makeRoom(preparing.length);
        if (close !== undefined) closing.push(close);
        return { name: name ?? "", parse: text, close, values };
      }
      return { name, parse: undefined, close: undefined, values };
    });
    return this.#send(statementMessages(messages), preparing, closing);
  }

  /** Runs a command that returns no rows. @throws as query does */
  async command(text: Sql): Promise<void> {
    const { error } = await this.#send(serialize.query(text), []);
    if (error !== undefined) throw error;
  }

  /** Closes it because Postgres no longer answers; waiting statements are rejected. */
  abandon(): void {
    this.#socket.destroy(new Error("the database did not answer in time"));
  }

  /** Closes it, because Postgres would continue to send the oversized result. */
  #refuse(limit: number): void {
    const error = new EngineError({
      code: "unexpected",
      message: `the answer is larger than the limit of ${limit} bytes. Request fewer rows or less nesting`,
    });
    if (this.#pending !== undefined) this.#pending.error = error;
    this.#socket.destroy(error);
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("the connection is closed");
    // A regular close would wait for the running statement.
    if (this.#pending !== undefined) this.#socket.destroy();
    this.hold(true); // keeps the process alive for callers that wait for the end
    await this.#client.end().catch(() => undefined);
  }

  #send(messages: Buffer, preparing: (string | undefined)[], closing: string[] = []): Promise<TurnAnswers> {
    return new Promise((resolve, reject) => {
      if (!this.isUsable) {
        reject(this.#lost ?? new Error("the connection is busy"));
        return;
      }
      this.#pending = { finished: [], rows: [], preparing, closing, error: undefined, resolve, reject };
      this.#reader.reset();
      this.#socket.write(messages);
    });
  }

  /** The least recently used statement, to be closed before `coming` more are prepared, if necessary. */
  #makeRoom(coming: number): string | undefined {
    return this.#prepared.size + coming > mostPrepared ? this.#prepared.pop() : undefined;
  }

  #take(type: number, data: Buffer, start: number, end: number): void {
    const pending = this.#pending;
    if (pending === undefined) return; // notices and parameters may arrive at any time
    if (type === dataRow) pending.rows.push(readRow(data, start));
    else if (type === commandComplete) {
      pending.finished.push(pending.rows);
      pending.rows = [];
    } else if (type === readyForQuery) this.#settle(pending, data[start] !== idle);
    else if (type === errorResponse) pending.error = new PostgresError(data.subarray(start, end));
    else if (type === parseComplete) {
      const name = pending.preparing.shift();
      if (name !== undefined) this.#prepared.set(name, name);
    } else if (type === closeComplete) pending.closing.shift();
  }

  #settle(pending: Pending, isInTransaction: boolean): void {
    for (const name of pending.closing) this.#prepared.set(name, name);
    this.#isInTransaction = isInTransaction;
    this.#pending = undefined;
    pending.resolve(pending);
  }

  /** A server that shuts down sends an error with the reason before it closes. */
  #end(error: Error): void {
    this.#lost = error;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(pending.error ?? error);
  }
}

/** Values of a DataRow: their number, then the length (-1 for null) and bytes of each. */
function readRow(data: Buffer, start: number): Row {
  const columns: (Bytes | null)[] = [];
  let at = start + 2;
  for (let left = data.readInt16BE(start); left > 0; left -= 1) {
    const length = data.readInt32BE(at);
    at += 4;
    if (length === -1) columns.push(null);
    else {
      const end = at + length;
      columns.push([length > longestCopied ? data.subarray(at, end) : byteString(data, at, end)]);
      at = end;
    }
  }
  return columns;
}
