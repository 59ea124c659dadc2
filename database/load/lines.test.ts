import fc from "fast-check";
import { expect, test } from "vitest";
import type { ByteSource } from "./byte-source.ts";
import { lines } from "./lines.ts";

async function* inChunks(text: string, size: number): ByteSource {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(source: ByteSource): Promise<string[]> {
  const batches: string[] = [];
  for await (const batch of lines(source)) batches.push(...batch);
  return batches;
}

test("gives the same lines however the bytes are split", async () => {
  const text = fc.array(fc.constantFrom("a", "|", "\n", "\r\n", "é"), { maxLength: 60 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 70 }), async (text, size) => {
      const expected = text.split("\n").map((line) => line.replace(/\r$/, ""));
      if (text === "" || text.endsWith("\n")) expected.pop();
      expect(await all(inChunks(text, size))).toEqual(expected);
    }),
  );
});

test("drops and reports a line of megabytes and keeps the lines around it", async () => {
  const text = `first\n${"x".repeat(3_000_000)}\nlast`;
  expect(await all(inChunks(text, 65_536))).toEqual(["first", "[line of more than 1048576 characters]", "last"]);
  expect(await all(inChunks("x".repeat(3_000_000), 65_536))).toEqual(["[line of more than 1048576 characters]"]);
});
