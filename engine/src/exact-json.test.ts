import { expect, test } from "vitest";
import { jsonText } from "./schema/values.ts";
import { parseExactJson } from "./exact-json.ts";

test.each([
  "9223372036854775807",
  "1.10000000000000000001",
  '{"a":[12345678901234567890,1]}',
  "-9007199254740993",
  "1e400",
  '{"a":[-1E+999]}',
  "1e-400",
])("%s keeps its digits", (text) => {
  expect(jsonText(parseExactJson(text))).toBe(text);
});

test("a number that JavaScript represents exactly stays a number", () => {
  expect(parseExactJson('[1, 1.5, 1e3, 9007199254740991, "x", null, true]')).toEqual([
    1,
    1.5,
    1000,
    9007199254740991,
    "x",
    null,
    true,
  ]);
});
