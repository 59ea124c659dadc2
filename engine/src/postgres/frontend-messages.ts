/**
 * What the engine sends to Postgres: the extended query protocol's messages (protocol 3.0, section "Message Formats"), all that one
 * statement needs in one buffer and so in one packet. Values travel as text both ways.
 * @module
 */
const letter = (character: string): number => character.charCodeAt(0);
const type = { parse: letter("P"), bind: letter("B"), execute: letter("E"), sync: letter("S"), close: letter("C"), query: letter("Q") };

const executeAndSyncLength = 10 + 5;

export interface StatementMessages {
  /** The prepared statement's name; empty for one that is used once. */
  readonly name: string;
  /** Given when Postgres does not have the statement yet. */
  readonly parse: string | undefined;
  /** Name of a statement that Postgres is to forget. */
  readonly close: string | undefined;
  readonly values: readonly (string | null)[];
}

/** Everything that runs one statement, up to the Sync that ends it. */
export function statementMessages({ name, parse, close, values }: StatementMessages): Buffer {
  const nameLength = Buffer.byteLength(name) + 1;
  const closeLength = close === undefined ? 0 : 6 + Buffer.byteLength(close) + 1;
  const parseLength = parse === undefined ? 0 : 5 + nameLength + Buffer.byteLength(parse) + 1 + 2;
  let bindLength = 5 + 1 + nameLength + 2 + 2 + 2;
  const valueLengths = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)));
  for (const length of valueLengths) bindLength += 4 + length;
  const buffer = Buffer.allocUnsafe(closeLength + parseLength + bindLength + executeAndSyncLength);
  let at = 0;
  const head = (kind: number, length: number): void => {
    buffer[at] = kind;
    at = buffer.writeInt32BE(length - 1, at + 1);
  };
  const text = (value: string): void => {
    at += buffer.write(value, at, "utf8");
    buffer[at] = 0;
    at += 1;
  };
  if (close !== undefined) {
    head(type.close, closeLength);
    buffer[at] = letter("S");
    at += 1;
    text(close);
  }
  if (parse !== undefined) {
    head(type.parse, parseLength);
    text(name);
    text(parse);
    at = buffer.writeInt16BE(0, at); // types of parameters: all left to Postgres
  }
  head(type.bind, bindLength);
  text(""); // the unnamed portal
  text(name);
  at = buffer.writeInt16BE(0, at); // formats of parameters: all text
  at = buffer.writeInt16BE(values.length, at);
  for (const [index, value] of values.entries()) {
    if (value === null) at = buffer.writeInt32BE(-1, at);
    else {
      at = buffer.writeInt32BE(valueLengths[index] ?? 0, at);
      at += buffer.write(value, at, "utf8");
    }
  }
  at = buffer.writeInt16BE(0, at); // formats of results: all text
  head(type.execute, 10);
  text("");
  at = buffer.writeInt32BE(0, at); // all rows
  head(type.sync, 5);
  return buffer;
}

/** A command without parameters (simple query protocol). */
export function commandMessage(command: string): Buffer {
  const length = 5 + Buffer.byteLength(command) + 1;
  const buffer = Buffer.allocUnsafe(length);
  buffer[0] = type.query;
  buffer.writeInt32BE(length - 1, 1);
  buffer.write(command, 5, "utf8");
  buffer[length - 1] = 0;
  return buffer;
}
