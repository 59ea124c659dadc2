import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { exceeds } from "../cost/limits.ts";
import { EngineError } from "../errors.ts";
import { byteString, lengthOf, longestCopied, slice, type Bytes } from "./bytes.ts";
import { commandMessage, type MessageHandler, MessageReader, PostgresError, statementMessages } from "./messages.ts";
import { SlabSocket } from "./slab-socket.ts";

/** Columns of a row: Postgres' text in bytes, or null. */
export type Row = readonly (Bytes | null)[];

export interface Statement {
  readonly text: string;
  /** Name of the statement prepared on this connection; without a name it is used once. */
  readonly name: string | undefined;
  readonly values: readonly (string | null)[];
}

/** Maximum number of named statements per connection. */
const mostPrepared = 250;

const letter = (character: string): number => character.charCodeAt(0);
const commandComplete = letter("C");
const dataRow = letter("D");
const errorResponse = letter("E");
const parseComplete = letter("1");
const readyForQuery = letter("Z");

/** Results of statements that shared a turn. */
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
  error: Error | undefined;
  readonly resolve: (answers: TurnAnswers) => void;
  readonly reject: (error: Error) => void;
}

/** Members of node-postgres that its types omit. */
interface ClientInternals {
  readonly processID: number;
  readonly connection: { readonly stream: Socket };
}

/**
 * A connection that returns rows as the bytes that Postgres sent. node-postgres opens it (addresses, TLS, all login methods) and closes it.
 * Statements run here, because node-postgres decodes, copies and wraps each value, which is half of the cost of a query.
 */
export class Connection implements MessageHandler {
  /** Identifies the connection to `pg_cancel_backend`. */
  readonly processId: number;
  readonly #client: pg.Client;
  readonly #slabs: SlabSocket;
  readonly #socket: Socket;
  readonly #reader = new MessageReader(this);
  /** Names of prepared statements. Not a Set, for the reason in Watchdog. */
  readonly #prepared = new LRUCache<string, string>({ max: mostPrepared });
  #pending: Pending | undefined;
  /** Bytes of the current turn's results. */
  #received = 0;
  #lost: Error | undefined;

  private constructor(client: pg.Client, slabs: SlabSocket, answerLimit: number) {
    const { processID, connection } = client as unknown as ClientInternals;
    this.processId = processID;
    this.#client = client;
    this.#slabs = slabs;
    this.#socket = connection.stream;
    this.#socket.removeAllListeners("data");
    this.#socket.on("data", (chunk: Buffer) => {
      this.#received += chunk.length;
      if (exceeds(this.#received, answerLimit)) {
        this.#refuse(answerLimit);
        return;
      }
      this.#reader.take(chunk);
      if (this.#reader.isBetweenMessages) slabs.reuse();
    });
  }

  /**
   * @param onLost called when the connection ends without having been closed
   * @param answerLimit bytes of one turn's results; 0 = unlimited
   * @throws any error of node-postgres when no connection is possible
   */
  static async open(
    config: pg.ClientConfig,
    onLost: (connection: Connection, error: Error) => void,
    answerLimit = 0,
  ): Promise<Connection> {
    const slabs = new SlabSocket();
    const client = new pg.Client({ ...config, stream: () => slabs.socket });
    let connection: Connection | undefined;
    client.on("error", (error) => {
      if (connection === undefined) return; // then connect() fails with it
      connection.#end(error);
      onLost(connection, error);
    });
    await client.connect();
    connection = new Connection(client, slabs, answerLimit);
    return connection;
  }

  /** Whether it can accept a statement. */
  get isUsable(): boolean {
    return this.#lost === undefined && this.#pending === undefined;
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

  /**
   * Runs statements in one turn: sent together, answered together, in one transaction. The first failure ends it. @throws the error that
   * closed the connection
   */
  queryAll(statements: readonly Statement[]): Promise<TurnAnswers> {
    const preparing: (string | undefined)[] = [];
    const messages = statements.map(({ text, name, values }) => {
      if (name !== undefined && this.#prepared.get(name) !== undefined)
        return { name, parse: undefined, close: undefined, values };
      if (name === undefined || !preparing.includes(name)) {
        preparing.push(name);
        const close = name === undefined ? undefined : this.#makeRoom(preparing.length);
        return { name: name ?? "", parse: text, close, values };
      }
      return { name, parse: undefined, close: undefined, values };
    });
    return this.#send(statementMessages(messages), preparing);
  }

  /** Runs a command that returns no rows. @throws as query does */
  async command(text: string): Promise<void> {
    const { error } = await this.#send(commandMessage(text), []);
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

  #send(messages: Buffer, preparing: (string | undefined)[]): Promise<TurnAnswers> {
    return new Promise((resolve, reject) => {
      if (!this.isUsable) {
        reject(this.#lost ?? new Error("the connection is busy"));
        return;
      }
      this.#pending = { finished: [], rows: [], preparing, error: undefined, resolve, reject };
      this.#received = 0;
      this.#socket.write(messages);
    });
  }

  /** The least recently used statement, to be closed before `coming` more are prepared, if necessary. */
  #makeRoom(coming: number): string | undefined {
    return this.#prepared.size + coming > mostPrepared ? this.#prepared.pop() : undefined;
  }

  message(type: number, data: Buffer, start: number, end: number): void {
    const pending = this.#pending;
    if (pending === undefined) return; // notices and parameters may arrive at any time
    if (type === dataRow) pending.rows.push(this.#readRow(data, start));
    else if (type === commandComplete) {
      pending.finished.push(pending.rows);
      pending.rows = [];
    } else if (type === readyForQuery) this.#settle(pending);
    else if (type === errorResponse) pending.error = new PostgresError(data.subarray(start, end));
    else if (type === parseComplete) {
      const name = pending.preparing.shift();
      if (name !== undefined) this.#prepared.set(name, name);
    }
  }

  longMessage(type: number, body: readonly Buffer[]): void {
    const only = type === dataRow ? readOnlyColumn(body) : undefined;
    if (only === undefined) {
      const whole = Buffer.concat(body);
      this.message(type, whole, 0, whole.length);
    } else this.#pending?.rows.push([this.#taken(only)]);
  }

  /** Values of a DataRow: their number, then the length (-1 for null) and bytes of each. */
  #readRow(data: Buffer, start: number): Row {
    const columns: (Bytes | null)[] = [];
    let at = start + 2;
    for (let left = data.readInt16BE(start); left > 0; left -= 1) {
      const length = data.readInt32BE(at);
      at += 4;
      if (length === -1) columns.push(null);
      else {
        columns.push(
          length > longestCopied ? this.#taken([data.subarray(at, at + length)]) : [byteString(data, at, at + length)],
        );
        at += length;
      }
    }
    return columns;
  }

  /** A value that later reads do not overwrite. */
  #taken(value: readonly Buffer[]): Bytes {
    if (lengthOf(value) <= longestCopied) return value.map((piece) => byteString(piece));
    this.#slabs.keep();
    return value;
  }

  #settle(pending: Pending): void {
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

/** The single value of a row that arrived in pieces, still in pieces; undefined for a row with several columns. */
function readOnlyColumn(body: readonly Buffer[]): Buffer[] | undefined {
  const head = Buffer.concat(slice(body, 0, 6));
  return head.readInt16BE(0) === 1 ? slice(body, 6, 6 + head.readInt32BE(2)) : undefined;
}
