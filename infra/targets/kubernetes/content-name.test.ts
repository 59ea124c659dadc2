import fc from "fast-check";
import { expect, test } from "vitest";
import { contentHash, secretHash } from "./content-name.ts";

const contents = fc.dictionary(fc.string(), fc.string());

test("the order of the files does not matter, every character of them does", () => {
  fc.assert(
    fc.property(contents, (content) => {
      const reversed = Object.fromEntries(Object.entries(content).toReversed());
      expect(contentHash(reversed)).toBe(contentHash(content));
      expect(contentHash({ ...content, a: `${content["a"] ?? ""}x` })).not.toBe(contentHash(content));
      expect(contentHash(content)).toMatch(/^[0-9a-f]{12}$/);
    }),
  );
});

test("what one file is called and what it holds cannot be mistaken for each other", () => {
  expect(contentHash({ a: "bc" })).not.toBe(contentHash({ ab: "c" }));
});

test("the name of a Secret cannot be had from its content alone", () => {
  fc.assert(
    fc.property(contents, (content) => {
      expect(secretHash(content, "one key")).toBe(secretHash(content, "one key"));
      expect(secretHash(content, "another key")).not.toBe(secretHash(content, "one key"));
      expect(secretHash(content, "one key")).not.toBe(contentHash(content));
    }),
  );
});
