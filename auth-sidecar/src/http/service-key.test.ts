import fc from "fast-check";
import { expect, test } from "vitest";
import { constantEquals } from "./service-key.ts";

test("gives the same result as ===", () => {
  fc.assert(fc.property(fc.string(), fc.string(), (left, right) => constantEquals(left)(right) === (left === right)));
  fc.assert(fc.property(fc.string(), (text) => constantEquals(text)(Buffer.from(text, "utf16le").toString("utf16le"))));
  expect(constantEquals("")("")).toBe(true);
});
