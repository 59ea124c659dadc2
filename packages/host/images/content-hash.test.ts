import fc from "fast-check";
import { expect, test } from "vitest";
import { contentHash } from "./content-hash.ts";
import type { ContextFile } from "./content-hash.ts";

const file = fc.record({ path: fc.string({ minLength: 1 }), content: fc.uint8Array(), executable: fc.boolean() });
const files = fc.uniqueArray(file, { minLength: 1, selector: ({ path }) => path });
const texts = fc.dictionary(fc.string(), fc.string());

test("the order of the files and texts is irrelevant", () => {
  fc.assert(
    fc.property(texts, files, (given, content) => {
      const reversed = Object.fromEntries(Object.entries(given).toReversed());
      expect(contentHash({ texts: reversed, files: content.toReversed() })).toBe(
        contentHash({ texts: given, files: content }),
      );
    }),
  );
});

const changes: [string, (file: ContextFile) => ContextFile][] = [
  ["name", (one) => ({ ...one, path: `${one.path}x` })],
  ["content", (one) => ({ ...one, content: Uint8Array.of(...one.content, 0) })],
  ["executable bit", (one) => ({ ...one, executable: !one.executable })],
];

test.each(changes)("another %s of one file changes the hash", (_what, change) => {
  fc.assert(
    fc.property(texts, files, (given, [first, ...rest]) => {
      const changed = contentHash({ texts: given, files: [change(first as ContextFile), ...rest] });
      expect(changed).not.toBe(contentHash({ texts: given, files: [first as ContextFile, ...rest] }));
    }),
  );
});

test("a text and a file with equal name and content have different hashes", () => {
  const content = Buffer.from("x");
  const asText = contentHash({ texts: { a: "x" }, files: [] });
  expect(contentHash({ texts: {}, files: [{ path: "a", content, executable: false }] })).not.toBe(asText);
});

test("the hash is stable across versions of the project", () => {
  const files = [{ path: "a/b", content: Buffer.from("text\n"), executable: true }];
  expect(contentHash({ texts: { Dockerfile: "FROM scratch" }, files })).toBe(
    "9576617f968754db5f7ccd4d25691e9d0c4e2e81822f6c8e9058cf07236861b4",
  );
});
