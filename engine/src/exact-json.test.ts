import fc from "fast-check";
import { expect, test } from "vitest";
import { jsonText } from "./schema/values.ts";
import { parseExactJson } from "./exact-json.ts";
import { growth, linear, timeRatio } from "./testing/growth.ts";

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

const inexact = ["12345678901234567890", "-1.00000000000000000001", "1e400", "-1E-400", "9.".padEnd(400, "1")];
const exact = ["123456789012345", "-1.5", "1e+25", "0"];
const strings = [
  ...inexact,
  "",
  '"',
  "\\",
  '\\"',
  "\\\\",
  "eeeeeeeeeeeeeeeeeeee",
  "\u2028",
  "é",
  "__proto__",
  ",",
  ":",
];
/** Keys with one escape sequence at most: V8 13.6 confuses two keys with a backslash that follow equal keys. */
const keys = [...inexact, "", '"', "eeeeeeeeeeeeeeeeeeee", "__proto__", ",", ":"];
const quoted = (values: readonly string[]) => fc.constantFrom(...values).map((value) => JSON.stringify(value));

/** JSON texts whose values JavaScript writes in the same form, apart from white space. */
const { text: anyJson } = fc.letrec<{ text: string }>((tie) => ({
  text: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(...inexact, ...exact, "true", "false", "null"),
    quoted(strings),
    fc.array(tie("text"), { maxLength: 4 }).map((items) => `[${items.join("\t,")}]`),
    fc
      .uniqueArray(fc.tuple(quoted(keys), tie("text")), { maxLength: 4, selector: ([key]) => key })
      .map((entries) => `{${entries.map(([key, value]) => `${key}\n:\n${value}`).join(",")}}`),
  ),
}));

test("keeps every text", () => {
  fc.assert(
    fc.property(anyJson, (text) => {
      expect(jsonText(parseExactJson(text))).toBe(text.replaceAll(/[\t\n]/g, ""));
    }),
    { numRuns: 5_000 },
  );
});

const long = "12345678901234567890";

test.each<[string, (size: number) => string]>([
  ["long numbers", (size) => `[${`${long},`.repeat(size / 21)}0]`],
  ["a long number after many strings", (size) => `[${'"",'.repeat(size / 3)}${long}]`],
  ["long numbers before many strings", (size) => `[${long},${'"",'.repeat(size / 3)}0]`],
  ["long numbers in strings", (size) => `[${`"${long}",`.repeat(size / 23)}0]`],
  ["one string of long numbers", (size) => `["${`${long} `.repeat(size / 21)}",${long}]`],
  ["escaped quotes", (size) => `["${'\\"'.repeat(size / 2)}",${long}]`],
  ["backslashes", (size) => `["${"\\".repeat(2 * Math.floor(size / 2))}",${long}]`],
  ["one number of many digits", (size) => `[${"1".repeat(size)}]`],
])("takes linear time for %s", (_title, make) => {
  expect(growth(make, (text) => void parseExactJson(text))).toBeLessThan(linear);
});

test("takes a fraction of a reviver's time for many values and one long number", () => {
  const text = `[${"0,".repeat(100_000)}${long}]`;
  expect(
    timeRatio(
      () => void parseExactJson(text),
      () => void JSON.parse(text, (_key, value: unknown) => value),
    ),
  ).toBeLessThan(1 / 2);
});

test("keeps the digits of the last of several equal keys", () => {
  const text = `{"a":[],"a":[${long}]}`;
  expect(jsonText(parseExactJson(text))).toBe(`{"a":[${long}]}`);
});
