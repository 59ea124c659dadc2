import fc from "fast-check";
import { expect, test } from "vitest";
import { FrameReader } from "./output.ts";

function frame(output: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = output;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

test("payloads are complete and in order at any cuts of the stream", () => {
  const frames = fc.array(fc.record({ output: fc.constantFrom(1, 2), payload: fc.uint8Array({ maxLength: 40 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(frames, fc.integer({ min: 1, max: 17 }), (sent, size) => {
      const stream = Buffer.concat(sent.map(({ output, payload }) => frame(output, payload)));
      const got: Record<number, Buffer[]> = { 1: [], 2: [] };
      const reader = new FrameReader((output, payload) => got[output]!.push(payload));
      for (let at = 0; at < stream.length; at += size) reader.add(stream.subarray(at, at + size));
      for (const output of [1, 2]) {
        const expected = Buffer.concat(sent.filter((entry) => entry.output === output).map(({ payload }) => payload));
        expect(Buffer.concat(got[output]!).equals(expected)).toBe(true);
      }
    }),
  );
});

test("the daemon's own errors do not join the output of the container", () => {
  const [outputs, problems]: [string[], string[]] = [[], []];
  const reader = new FrameReader(
    (_output, payload) => outputs.push(payload.toString()),
    (payload) => problems.push(payload.toString()),
  );
  reader.add(Buffer.concat([frame(1, Buffer.from("line")), frame(3, Buffer.from("error"))]));
  expect([outputs, problems]).toEqual([["line"], ["error"]]);
});
