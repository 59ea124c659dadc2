import type { Socket } from "node:net";
import { LRUCache } from "lru-cache";
import pg from "pg";
import { exceeds } from "../cost/limits.ts";
import { EngineError } from "../errors.ts";
import { byteString, lengthOf, longestCopied, slice, type Bytes } from "./bytes.ts";
import { commandMessage, statementMessages } from "./frontend-messages.ts";
import { MessageReader, type MessageHandler } from "./message-reader.ts";
import { PostgresError } from "./postgres-error.ts";
import { SlabSocket } from "./slab-socket.ts";

/** Columns of a row: Postgres' text in bytes, or null. */
export type Row = readonly (Bytes | null)[];

export interface Statement {
  readonly text: string;
  /** Under this name Postgres keeps the statement prepared on this connection; without one it is used once. */
  readonly name: string | undefined;
  readonly values: readonly (string | null)[];
}

/** Named statements that one connection keeps. */
const mostPrepared = 250;

const letter = (character: string): number => character.charCodeAt(0);
const commandComplete = letter("C");
const dataRow = letter("D");
const errorResponse = letter("E");
const parseComplete = letter("1");
const readyForQuery = letter("Z");

/** What became of statements that shared a turn. */
export interface TurnAnswers {
  /** Rows of each statement that came to its end, from the first on. */
  readonly finished: readonly (readonly Row[])[];
  /** Why the next one failed; those after it were not run. */
  readonly error: Error | undefined;
}

/** What is awaited from Postgres: it answers one turn at a time. */
interface Pending {
  readonly finished: (readonly Row[])[];
  /** Rows of the statement that is being answered. */
  rows: Row[];
  /** Of each statement that is parsed the name that is prepared once Postgres says so, if it has one. */
  readonly preparing: (string | undefined)[];
  error: Error | undefined;
  readonly resolve: (answers: TurnAnswers) => void;
  readonly reject: (error: Error) => void;
}

/** What node-postgres keeps but does not type. */
interface ClientInternals {
  readonly processID: number;
  readonly connection: { readonly stream: Socket };
}

/**
 * A connection that hands rows on as the bytes that Postgres sent. node-postgres opens it (addresses, TLS, every way to log in) and
 * closes it; statements are asked for here, because its own path decodes, copies and wraps each value, which is half of the cost
 * of a query.
 */
export class Connection implements MessageHandler {
  /** Identifies the connection to `pg_cancel_backend`. */
  readonly processId: number;
  readonly #client: pg.Client;
  readonly #slabs: SlabSocket;
  readonly #socket: Socket;
  readonly #reader = new MessageReader(this);
  /** Names of prepared statements. No Set, for the reason that Watchdog gives. */
  readonly #prepared = new LRUCache<string, string>({ max: mostPrepared });
  #pending: Pending | undefined;
  /** Bytes of the answers to the turn. */
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
   * @param onLost told when the connection ends without having been closed
   * @param answerLimit bytes of one turn's answers; 0 = unlimited
   * @throws what node-postgres throws when there is no connection to be had
   */
  static async open(config: pg.ClientConfig, onLost: (connection: Connection, error: Error) => void, answerLimit = 0): Promise<Connection> {
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

  /** Whether it can take a statement. */
  get isUsable(): boolean {
    return this.#lost === undefined && this.#pending === undefined;
  }

  /** Whether it keeps the process from ending. */
  hold(yes: boolean): void {
    if (yes) this.#socket.ref();
    else this.#socket.unref();
  }

  /** Runs one statement. @throws PostgresError, or the error that ended the connection */
  async query(statement: Statement): Promise<readonly Row[]> {
    const { finished, error } = await this.queryAll([statement]);
    if (error !== undefined) throw error;
    return finished[0] ?? [];
  }

  /**
   * Runs statements in one turn: sent together, answered together, in one transaction that ends with them. The first that fails
   * ends it. @throws the error that ended the connection
   */
  queryAll(statements: readonly Statement[]): Promise<TurnAnswers> {
    const preparing: (string | undefined)[] = [];
    const messages = statements.map(({ text, name, values }) => {
      if (name !== undefined && this.#prepared.get(name) !== undefined) return { name, parse: undefined, close: undefined, values };
      if (name === undefined || !preparing.includes(name)) {
        preparing.push(name);
        return { name: name ?? "", parse: text, close: name === undefined ? undefined : this.#makeRoom(preparing.length), values };
      }
      return { name, parse: undefined, close: undefined, values };
    });
    return this.#send(statementMessages(messages), preparing);
  }

  /** Runs a command that gives no rows. @throws as query does */
  async command(text: string): Promise<void> {
    const { error } = await this.#send(commandMessage(text), []);
    if (error !== undefined) throw error;
  }

  /** Ends it because Postgres answers no more; who waits is told. */
  abandon(): void {
    this.#socket.destroy(new Error("the database did not answer in time"));
  }

  /** Ends it, because Postgres would go on to send what is too much. */
  #refuse(limit: number): void {
    const error = new EngineError({ code: "unexpected", message: `the answer is larger than the limit of ${limit} bytes. Request fewer rows or less nesting` });
    if (this.#pending !== undefined) this.#pending.error = error;
    this.#socket.destroy(error);
  }

  async close(): Promise<void> {
    this.#lost ??= new Error("the connection is closed");
    // A goodbye would wait for the statement that still runs.
    if (this.#pending !== undefined) this.#socket.destroy();
    this.hold(true); // whoever waits for the end is not to be left in the middle
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

  /** The statement to be closed before `coming` more are prepared, if any: the one used longest ago. */
  #makeRoom(coming: number): string | undefined {
    return this.#prepared.size + coming > mostPrepared ? this.#prepared.pop() : undefined;
  }

  message(type: number, data: Buffer, start: number, end: number): void {
    const pending = this.#pending;
    if (pending === undefined) return; // notices and parameters may come at any time
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

  /** Values of a DataRow: their number, then of each its length (-1 for null) and its bytes. */
  #readRow(data: Buffer, start: number): Row {
    const columns: (Bytes | null)[] = [];
    let at = start + 2;
    for (let left = data.readInt16BE(start); left > 0; left -= 1) {
      const length = data.readInt32BE(at);
      at += 4;
      if (length === -1) columns.push(null);
      else {
        columns.push(length > longestCopied ? this.#taken([data.subarray(at, at + length)]) : [byteString(data, at, at + length)]);
        at += length;
      }
    }
    return columns;
  }

  /** A value as it stays, whatever is read next. */
  #taken(value: readonly Buffer[]): Bytes {
    if (lengthOf(value) <= longestCopied) return value.map((piece) => byteString(piece));
    this.#slabs.keep();
    return value;
  }

  #settle(pending: Pending): void {
    this.#pending = undefined;
    pending.resolve(pending);
  }

  /** A server that shuts down says why in an error of its own before it goes. */
  #end(error: Error): void {
    this.#lost = error;
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.reject(pending.error ?? error);
  }
}

/** The one value of a row that came in pieces, still in pieces; undefined for a row of several columns. */
function readOnlyColumn(body: readonly Buffer[]): Buffer[] | undefined {
  const head = Buffer.concat(slice(body, 0, 6));
  return head.readInt16BE(0) === 1 ? slice(body, 6, 6 + head.readInt32BE(2)) : undefined;
}
