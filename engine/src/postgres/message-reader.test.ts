import fc from "fast-check";
import { expect, test } from "vitest";
import { MessageReader } from "./messages.ts";

interface Message {
  readonly type: number;
  readonly body: Uint8Array;
}

const messages = fc.array(
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
    fc.property(messages, fc.array(fc.nat(), { maxLength: 20 }), (sent, cuts) => {
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
    fc.property(messages, (sent) => {
      const stream = Buffer.concat(sent.map(encoded));
      const bytes = Array.from(stream, (_, index) => stream.subarray(index, index + 1));
      expect(read(bytes)).toEqual(sent.map(({ type, body }) => ({ type, body: Buffer.from(body) })));
    }),
  );
});
