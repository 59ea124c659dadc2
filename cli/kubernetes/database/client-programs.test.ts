import { buffer } from "node:stream/consumers";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutMark } from "./client-programs.ts";

const mark = Buffer.from("\u001eabc");
/** Built from the mark's own bytes, so that partial marks occur everywhere. */
const text = fc.array(fc.constantFrom(...mark), { maxLength: 30 }).map((bytes) => Buffer.from(bytes));

test("passes on all but the first mark and reports it once, at any chunk boundaries", async () => {
  await fc.assert(
    fc.asyncProperty(text, text, fc.boolean(), fc.integer({ min: 1, max: 7 }), async (before, after, marked, size) => {
      const sent = Buffer.concat([before, ...(marked ? [mark] : []), after]);
      let told = 0;
      const stream = withoutMark(mark, () => (told += 1));
      for (let at = 0; at < sent.length; at += size) stream.write(sent.subarray(at, at + size));
      stream.end();
      const at = sent.indexOf(mark);
      const expected = at < 0 ? sent : Buffer.concat([sent.subarray(0, at), sent.subarray(at + mark.length)]);
      expect((await buffer(stream)).equals(expected)).toBe(true);
      expect(told).toBe(at < 0 ? 0 : 1);
    }),
  );
});
