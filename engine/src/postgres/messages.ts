/**
 * Messages of the Postgres protocol 3.0, section "Message Formats": those to Postgres, the split of those from Postgres, and its errors.
 * @module
 */

const letter = (character: string): number => character.charCodeAt(0);
const type = {
  parse: letter("P"),
  bind: letter("B"),
  execute: letter("E"),
  sync: letter("S"),
  close: letter("C"),
  query: letter("Q"),
};

/** Length in bytes of each message without its texts and values. */
const lengths = {
  parse: 5 + 1 + 1 + 2,
  bind: 5 + 1 + 1 + 2 + 2 + 2,
  execute: 5 + 1 + 4,
  sync: 5,
  close: 5 + 1 + 1,
  query: 5 + 1,
};

export interface StatementMessages {
  /** The prepared statement's name; empty for single use. */
  readonly name: string;
  /** Set when Postgres does not have the statement yet. */
  readonly parse: string | undefined;
  /** Name of a statement that Postgres should close. */
  readonly close: string | undefined;
  readonly values: readonly (string | null)[];
}

/**
 * All messages that run statements in sequence (extended query protocol), up to the final Sync. They fill one buffer and so one packet.
 * Values travel as text in both directions.
 */
export function statementMessages(statements: readonly StatementMessages[]): Buffer {
  let length = lengths.sync;
  for (const statement of statements) length += lengthOf(statement);
  const writer = new MessageWriter(length);
  for (const statement of statements) writeStatement(writer, statement);
  writer.head(type.sync, lengths.sync);
  return writer.buffer;
}

function lengthOf({ name, parse, close, values }: StatementMessages): number {
  const closing = close === undefined ? 0 : lengths.close + Buffer.byteLength(close);
  const parsing = parse === undefined ? 0 : lengths.parse + Buffer.byteLength(name) + Buffer.byteLength(parse);
  return closing + parsing + bindLength(name, values) + lengths.execute;
}

function bindLength(name: string, values: readonly (string | null)[]): number {
  let length = lengths.bind + Buffer.byteLength(name);
  for (const value of values) length += 4 + (value === null ? 0 : Buffer.byteLength(value));
  return length;
}

function writeStatement(writer: MessageWriter, { name, parse, close, values }: StatementMessages): void {
  if (close !== undefined) {
    writer.head(type.close, lengths.close + Buffer.byteLength(close));
    writer.byte(letter("S"));
    writer.text(close);
  }
  if (parse !== undefined) {
    writer.head(type.parse, lengths.parse + Buffer.byteLength(name) + Buffer.byteLength(parse));
    writer.text(name);
    writer.text(parse);
    writer.int16(0); // types of parameters: all inferred by Postgres
  }
  writer.head(type.bind, bindLength(name, values));
  writer.text(""); // the unnamed portal
  writer.text(name);
  writer.int16(0); // formats of parameters: all text
  writer.int16(values.length);
  for (const value of values) writer.value(value);
  writer.int16(0); // formats of results: all text
  writer.head(type.execute, lengths.execute);
  writer.text("");
  writer.int32(0); // all rows
}

/** A command without parameters (simple query protocol). */
export function commandMessage(command: string): Buffer {
  const length = lengths.query + Buffer.byteLength(command);
  const writer = new MessageWriter(length);
  writer.head(type.query, length);
  writer.text(command);
  return writer.buffer;
}

class MessageWriter {
  readonly buffer: Buffer;
  #at = 0;

  constructor(length: number) {
    this.buffer = Buffer.allocUnsafe(length);
  }

  /** @param length of the whole message; the length field excludes the type byte */
  head(kind: number, length: number): void {
    this.byte(kind);
    this.int32(length - 1);
  }

  byte(value: number): void {
    this.buffer[this.#at] = value;
    this.#at += 1;
  }

  int16(value: number): void {
    this.#at = this.buffer.writeInt16BE(value, this.#at);
  }

  int32(value: number): void {
    this.#at = this.buffer.writeInt32BE(value, this.#at);
  }

  /** With a terminating zero byte. */
  text(value: string): void {
    this.#at += this.buffer.write(value, this.#at, "utf8");
    this.byte(0);
  }

  /** With a length prefix, which distinguishes null from an empty text. */
  value(value: string | null): void {
    if (value === null) {
      this.int32(-1);
      return;
    }
    const written = this.buffer.write(value, this.#at + 4, "utf8");
    this.int32(written);
    this.#at += written;
  }
}

/** Receives the messages of a backend. */
export interface MessageHandler {
  /** A message whose body is in `data` from `start` to before `end`. */
  message(type: number, data: Buffer, start: number, end: number): void;
  /** A message that arrived in several chunks. */
  longMessage(type: number, body: readonly Buffer[]): void;
}

/** A type byte and a length that counts itself but not the type. */
const headLength = 5;

/** Splits the byte stream from Postgres into its messages, without copying them. */
export class MessageReader {
  readonly #handler: MessageHandler;
  /** Bytes of an incomplete head. */
  #partialHead: Buffer | undefined;
  #longType = 0;
  #longBody: Buffer[] = [];
  /** Missing bytes of a long message. */
  #missing = 0;

  constructor(handler: MessageHandler) {
    this.#handler = handler;
  }

  /** Whether none of the received bytes are needed for later messages. */
  get isBetweenMessages(): boolean {
    return this.#missing === 0 && this.#partialHead === undefined;
  }

  take(chunk: Buffer): void {
    const data = this.#partialHead === undefined ? chunk : Buffer.concat([this.#partialHead, chunk]);
    this.#partialHead = undefined;
    let position = this.#missing > 0 ? this.#continueLong(data) : 0;
    while (data.length - position >= headLength) {
      const type = data[position] ?? 0;
      const start = position + headLength;
      const end = position + 1 + data.readUInt32BE(position + 1);
      if (end > data.length) {
        this.#longType = type;
        this.#longBody = start < data.length ? [data.subarray(start)] : [];
        this.#missing = end - data.length;
        return;
      }
      this.#handler.message(type, data, start, end);
      position = end;
    }
    if (position < data.length) this.#partialHead = data.subarray(position);
  }

  /** Number of bytes that belonged to the long message. */
  #continueLong(data: Buffer): number {
    const length = Math.min(this.#missing, data.length);
    this.#longBody.push(length === data.length ? data : data.subarray(0, length));
    this.#missing -= length;
    if (this.#missing === 0) {
      const body = this.#longBody;
      this.#longBody = [];
      this.#handler.longMessage(this.#longType, body);
    }
    return length;
  }
}

/** Postgres' error about a failed statement. */
export class PostgresError extends Error {
  /** SQLSTATE, five characters. */
  readonly code: string;
  readonly detail: string | undefined;
  readonly hint: string | undefined;

  /** @param body of an ErrorResponse: fields of a letter and a zero-terminated text, and a final zero byte */
  constructor(body: Buffer) {
    const fields = new Map(
      body
        .toString("utf8")
        .split("\0")
        .filter((field) => field !== "")
        .map((field) => [field.charAt(0), field.slice(1)]),
    );
    super(fields.get("M") ?? "unknown failure");
    this.name = "PostgresError";
    this.code = fields.get("C") ?? "XX000";
    this.detail = fields.get("D");
    this.hint = fields.get("H");
  }
}
