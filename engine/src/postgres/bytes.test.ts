import fc from "fast-check";
import { expect, test } from "vitest";
import { bufferOf, byteString, bytesOf, lengthOf, textOf } from "./bytes.ts";

/** A text as bytes in pieces, cut anywhere, also inside characters. */
const pieces = fc
  .tuple(fc.string({ unit: "grapheme" }), fc.array(fc.nat({ max: 60 }), { maxLength: 6 }))
  .map(([text, cuts]) => {
    const whole = Buffer.from(text);
    const places = [
      0,
      ...cuts.map((cut) => Math.min(cut, whole.length)).toSorted((one, other) => one - other),
      whole.length,
    ];
    return { text, bytes: places.slice(1).map((end, index) => whole.subarray(places[index], end)) };
  });

test("joins the pieces of a text, at any cuts", () => {
  fc.assert(
    fc.property(pieces, ({ text, bytes }) => {
      expect(textOf(bytes)).toBe(text);
      expect(lengthOf(bytes)).toBe(Buffer.byteLength(text));
      expect(textOf(bytesOf(text))).toBe(text);
    }),
  );
});

test("any of the pieces can be byte strings", () => {
  fc.assert(
    fc.property(pieces, fc.infiniteStream(fc.boolean()), ({ text, bytes }, choices) => {
      const mixed = bytes.map((piece) => (choices.next().value ? byteString(piece) : piece));
      expect(textOf(mixed)).toBe(text);
      expect(bufferOf(mixed)).toEqual(Buffer.from(text));
      expect(lengthOf(mixed)).toBe(Buffer.byteLength(text));
    }),
  );
});
