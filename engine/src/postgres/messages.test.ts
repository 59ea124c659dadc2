import fc from "fast-check";
import { expect, test } from "vitest";
import { commandMessage, MessageReader, PostgresError, statementMessages } from "./messages.ts";

/** Types and bodies of the messages in a buffer; both directions use the same framing. */
function messages(buffer: Buffer): { type: string; body: string }[] {
  const found: { type: string; body: string }[] = [];
  const reader = new MessageReader({
    message: (type, data, start, end) =>
      found.push({ type: String.fromCharCode(type), body: data.toString("utf8", start, end) }),
    longMessage: () => expect.unreachable("the buffer is whole"),
  });
  reader.take(buffer);
  return found;
}

test("a single-use statement is parsed without a name, bound, executed and synchronised", () => {
  const buffer = statementMessages([{ name: "", parse: "SELECT $1", close: undefined, values: ["ä"] }]);
  expect(messages(buffer)).toEqual([
    { type: "P", body: "\0SELECT $1\0\0\0" },
    { type: "B", body: "\0\0\0\0\0\u0001\0\0\0\u0002ä\0\0" },
    { type: "E", body: "\0\0\0\0\0" },
    { type: "S", body: "" },
  ]);
});

test("a prepared statement is only bound; null has no value", () => {
  const [bind, ...rest] = messages(
    statementMessages([{ name: "rq1", parse: undefined, close: undefined, values: [null, "{}"] }]),
  );
  expect(bind?.type).toBe("B");
  expect(bind?.body.startsWith("\0rq1\0\0\0\0\u0002")).toBe(true);
  expect(bind?.body.endsWith("\0\0\0\u0002{}\0\0")).toBe(true);
  expect(rest.map(({ type }) => type)).toEqual(["E", "S"]);
});

test("closes an evicted statement before it prepares another", () => {
  const found = messages(statementMessages([{ name: "rq2", parse: "SELECT 1", close: "rq1", values: [] }]));
  expect(found.slice(0, 2)).toEqual([
    { type: "C", body: "Srq1\0" },
    { type: "P", body: "rq2\0SELECT 1\0\0\0" },
  ]);
});

test("statements that share a turn are synchronised once, at the end", () => {
  const statement = (name: string, value: string) => ({ name, parse: undefined, close: undefined, values: [value] });
  const found = messages(statementMessages([statement("rq1", "a"), statement("rq2", "b")]));
  expect(found.map(({ type }) => type)).toEqual(["B", "E", "B", "E", "S"]);
  expect(found.map(({ body }) => /rq\d/.exec(body)?.[0])).toEqual(["rq1", undefined, "rq2", undefined, undefined]);
});

test("a command is one message", () => {
  expect(messages(commandMessage("ROLLBACK"))).toEqual([{ type: "Q", body: "ROLLBACK\0" }]);
});

test("parses the fields of an error response", () => {
  const error = new PostgresError(Buffer.from('SERROR\0C22P02\0Minvalid input: "ä"\0Dthe detail\0Hthe hint\0\0'));
  expect(error).toMatchObject({
    name: "PostgresError",
    code: "22P02",
    message: 'invalid input: "ä"',
    detail: "the detail",
    hint: "the hint",
  });
});

test("a response without fields is an internal error", () => {
  expect(new PostgresError(Buffer.from("\0"))).toMatchObject({
    code: "XX000",
    message: "unknown failure",
    detail: undefined,
  });
});

interface Message {
  readonly type: number;
  readonly body: Uint8Array;
}

const anyMessages = fc.array(
  fc.record({ type: fc.integer({ min: 48, max: 122 }), body: fc.uint8Array({ maxLength: 300 }) }),
  { maxLength: 12 },
);

function encoded({ type, body }: Message): Buffer {
  const head = Buffer.alloc(5);
  head[0] = type;
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

function read(chunks: readonly Buffer[]): { type: number; body: Buffer }[] {
  const found: { type: number; body: Buffer }[] = [];
  const reader = new MessageReader({
    message: (type, data, start, end) => found.push({ type, body: Buffer.from(data.subarray(start, end)) }),
    longMessage: (type, body) => found.push({ type, body: Buffer.concat(body) }),
  });
  for (const chunk of chunks) reader.take(chunk);
  return found;
}

test("finds the messages at any network cuts", () => {
  fc.assert(
    fc.property(anyMessages, fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(encoded));
      const places = [
        0,
        ...cuts.map((cut) => cut % (stream.length + 1)).toSorted((one, other) => one - other),
        stream.length,
      ];
      const chunks = places.slice(1).map((end, index) => stream.subarray(places[index], end));
      expect(read(chunks)).toEqual(sent.map(({ type, body }) => ({ type, body: Buffer.from(body) })));
    }),
  );
});

test("needs no earlier chunk exactly when a chunk ends with a message", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 8 }), (lengths) => {
      const reader = new MessageReader({ message: () => undefined, longMessage: () => undefined });
      for (const length of lengths) {
        const bytes = encoded({ type: 68, body: new Uint8Array(length) });
        const states = Array.from(bytes, (_, index) => {
          reader.take(bytes.subarray(index, index + 1));
          return reader.isBetweenMessages;
        });
        expect(states).toEqual(Array.from(bytes, (_, index) => index === bytes.length - 1));
      }
    }),
  );
});

test("finds the messages when every byte arrives alone", () => {
  fc.assert(
    fc.property(anyMessages, (sent) => {
      const stream = Buffer.concat(sent.map(encoded));
      const bytes = Array.from(stream, (_, index) => stream.subarray(index, index + 1));
      expect(read(bytes)).toEqual(sent.map(({ type, body }) => ({ type, body: Buffer.from(body) })));
    }),
  );
});
