import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageReader, PostgresError, statementMessages } from "./messages.ts";

interface Message {
  readonly type: number;
  readonly body: Uint8Array;
}

/** The messages that arrive in chunks. */
function read(chunks: readonly Buffer[]): Message[] {
  const found: Message[] = [];
  const reader = new MessageReader({
    message: (type, data, start, end) => found.push({ type, body: Buffer.from(data.subarray(start, end)) }),
    refuse: () => expect.unreachable(),
  });
  for (const chunk of chunks) reader.take(chunk);
  return found;
}

test("sends statements in one packet, with one Sync at the end", () => {
  const packet = statementMessages([
    { name: "rq2", parse: "SELECT $1", close: "rq1", values: ["ä"] },
    { name: "rq2", parse: undefined, close: undefined, values: [null] },
  ]);
  // Both directions use the same framing.
  const sent = read([packet]).map(({ type, body }) => [String.fromCharCode(type), body.toString()]);
  expect(sent).toEqual([
    ["C", "Srq1\0"],
    ["P", "rq2\0SELECT $1\0\0\0"],
    ["B", "\0rq2\0\0\u0001\0\0\0\u0001\0\0\0\u0002ä\0\u0001\0\0"],
    ["E", "\0\0\0\0\0"],
    ["B", "\0rq2\0\0\u0001\0\0\0\u0001\ufffd\ufffd\ufffd\ufffd\0\u0001\0\0"],
    ["E", "\0\0\0\0\0"],
    ["S", ""],
  ]);
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

test("finds the messages at any network cuts", () => {
  const everyByte = fc.constant(undefined);
  fc.assert(
    fc.property(anyMessages, fc.oneof(everyByte, fc.array(fc.nat(), { maxLength: 20 })), (sent, cuts) => {
      const stream = Buffer.concat(sent.map(encoded));
      const chosen = cuts?.map((cut) => cut % (stream.length + 1)) ?? [...stream.keys()];
      const places = [0, ...chosen.toSorted((one, other) => one - other), stream.length];
      // Later reads may overwrite the memory of a chunk.
      const chunks = places.slice(1).map((end, index) => Buffer.from(stream.subarray(places[index], end)));
      expect(read(chunks)).toEqual(sent.map(({ type, body }) => ({ type, body: Buffer.from(body) })));
    }),
  );
});

test("refuses messages over the limit as soon as they are announced", () => {
  const events: string[] = [];
  const reader = new MessageReader(
    { message: () => void events.push("message"), refuse: () => void events.push("refused") },
    100,
  );
  const message = encoded({ type: 68, body: new Uint8Array(55) });
  reader.take(message);
  reader.reset();
  reader.take(message);
  const long = Buffer.from([68, 0x7f, 0xff, 0xff, 0xff]);
  reader.take(long);
  expect(events).toEqual(["message", "message", "refused"]);
});
