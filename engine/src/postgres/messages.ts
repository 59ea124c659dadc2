/** Messages of the Postgres protocol 3.0 ("Message Formats"): those that run statements, those it sends, and its errors. */
import { serialize } from "pg-protocol";
import { exceeds } from "../cost/limits.ts";
import { longestCopied } from "./bytes.ts";

export interface StatementMessages {
  /** The prepared statement's name; empty for single use. */
  readonly name: string;
  /** Set when Postgres does not have the statement yet. */
  readonly parse: string | undefined;
  /** Name of a statement that Postgres should close. */
  readonly close: string | undefined;
  readonly values: readonly (string | null)[];
}

/** The messages that run statements, up to the final Sync, in one buffer and so one packet. Values are text in both directions. */
export function statementMessages(statements: readonly StatementMessages[]): Buffer {
  const messages: Buffer[] = [];
  for (const { name, parse, close, values } of statements) {
    if (close !== undefined) messages.push(serialize.close({ type: "S", name: close }));
    if (parse !== undefined) messages.push(serialize.parse({ name, text: parse }));
    messages.push(serialize.bind({ statement: name, values: [...values] }), serialize.execute());
  }
  messages.push(serialize.sync());
  return Buffer.concat(messages);
}

export interface MessageHandler {
  /** A message whose body is in `data` from `start` to before `end`. Only values longer than {@link longestCopied} need no copy. */
  message(type: number, data: Buffer, start: number, end: number): void;
  /** A message that exceeds the limit; no further message follows. */
  refuse(): void;
}

/** A type byte and a length that counts itself but not the type. */
const headLength = 5;

/** Splits the stream from Postgres. Long or split messages own their memory; the next read overwrites that of the others. */
export class MessageReader {
  readonly #handler: MessageHandler;
  readonly #limit: number;
  /** Bytes of the messages since the last `reset`. */
  #bytes = 0;
  #head: Buffer | undefined;
  /** A message that has not arrived whole, and the number of its bytes so far. */
  #partial: Buffer | undefined;
  #filled = 0;

  /** @param limit bytes of all messages between two calls of `reset`; 0 = none. Memory is allocated only up to the limit. */
  constructor(handler: MessageHandler, limit = 0) {
    this.#handler = handler;
    this.#limit = limit;
  }

  reset(): void {
    this.#bytes = 0;
  }

  take(chunk: Buffer): void {
    const data = this.#head === undefined ? chunk : Buffer.concat([this.#head, chunk]);
    this.#head = undefined;
    let position = this.#partial === undefined ? 0 : this.#fill(this.#partial, data);
    while (data.length - position >= headLength) {
      const length = 1 + data.readUInt32BE(position + 1);
      const end = position + length;
      this.#bytes += length;
      if (exceeds(this.#bytes, this.#limit)) {
        this.#handler.refuse();
        return;
      }
      if (end <= data.length && length <= longestCopied) {
        this.#handler.message(data[position] ?? 0, data, position + headLength, end);
        position = end;
      } else {
        this.#partial = Buffer.allocUnsafeSlow(length);
        this.#filled = 0;
        position += this.#fill(this.#partial, data.subarray(position));
      }
    }
    if (position < data.length) this.#head = Buffer.from(data.subarray(position));
  }

  /** Number of bytes that belonged to the incomplete message. */
  #fill(message: Buffer, data: Buffer): number {
    const copied = data.copy(message, this.#filled);
    this.#filled += copied;
    if (this.#filled === message.length) {
      this.#partial = undefined;
      this.#handler.message(message[0] ?? 0, message, headLength, message.length);
    }
    return copied;
  }
}

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
