import fc from "fast-check";
import { expect, test } from "vitest";
import { contentHash } from "./scope.ts";

const contents = fc.dictionary(fc.string(), fc.string());

test("ignores the order of files and depends on every character", () => {
  fc.assert(
    fc.property(contents, (content) => {
      const reversed = Object.fromEntries(Object.entries(content).toReversed());
      expect(contentHash(reversed)).toBe(contentHash(content));
      expect(contentHash({ ...content, a: `${content["a"] ?? ""}x` })).not.toBe(contentHash(content));
      expect(contentHash(content)).toMatch(/^[0-9a-f]{12}$/);
    }),
  );
});

test("separates names from contents", () => {
  expect(contentHash({ a: "bc" })).not.toBe(contentHash({ ab: "c" }));
});
