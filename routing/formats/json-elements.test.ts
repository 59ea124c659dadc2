import { gunzipSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonElements } from "./json-elements.ts";
import { ripestatRecords } from "./ripestat.ts";
import { Refusal } from "./refusal.ts";

function elements(text: string, size = 65_536): (string | Refusal)[] {
  const reader = new JsonElements("data", "updates");
  const bytes = Buffer.from(text);
  const found: (string | Refusal)[] = [];
  for (let at = 0; at < bytes.length; at += size) found.push(...reader.write(bytes.subarray(at, at + size)));
  reader.end();
  return found;
}

test("gives the elements of the list, in any formatting and however the bytes are split", () => {
  const spaces = fc.constantFrom(undefined, 1, "\t");
  const value = fc.jsonValue({ maxDepth: 4 });
  fc.assert(
    fc.property(fc.array(value), value, spaces, fc.integer({ min: 1, max: 40 }), (updates, other, space, size) => {
      const text = JSON.stringify({ first: other, data: { before: [other], updates, after: other } }, null, space);
      expect(elements(text, size).map((element) => JSON.parse(element as string))).toEqual(
        JSON.parse(JSON.stringify(updates)),
      );
    }),
  );
});

test.each([
  ["a list of another object", '{"x":{"updates":[1]}}'],
  ["a list in a list", '{"data":[["updates",[1]]]}'],
  ["a deeper list", '{"data":{"x":{"updates":[1]}}}'],
  ["text", '{"data":{"x":"\\"updates\\":[1]"}}'],
])("takes no element of %s", (_, text) => expect(elements(text)).toEqual([]));

test.each(["[1,]", "[,1]", "[1 2]", "[{} {}]", "[1", '["a]'])("rejects the broken list %s", (list) => {
  expect(() => elements(`{"data":{"updates":${list}}}`)).toThrow("the JSON is broken after element");
});

test.each([
  ["a million levels", `${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}`],
  ["a million levels of objects", `${'{"a":'.repeat(1_000_000)}1${"}".repeat(1_000_000)}`],
  ["a string of megabytes", JSON.stringify("x".repeat(5_000_000))],
  ["a list of megabytes", JSON.stringify(Array.from({ length: 1_000_000 }, () => 1))],
])("drops and reports an element of %s, and reads those around it", async (_, large) => {
  const packed = gzipSync(`{"data":{"updates":[{"a":1},${large},{"b":2}]}}`);
  async function* source() {
    const bytes = gunzipSync(packed);
    for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536);
  }
  const found: string[] = [];
  for await (const batch of ripestatRecords(source()))
    for (const { position, parsed } of batch) found.push(`${position}: ${(parsed as Refusal).reason}`);
  expect(found).toEqual([
    "1: not an update of RIPEstat bgp-updates",
    "2: the element has more than 256 KiB or 16 levels",
    "3: not an update of RIPEstat bgp-updates",
  ]);
});

test("refuses a text of colons without a long search", () => {
  expect(() => elements(`{${":".repeat(1_000_000)}`)).toThrow("the JSON is broken after element 0");
});

test("finds the list behind spaces after its name", () => {
  expect(elements(`{"data"${" ".repeat(1_000)}: {"updates"\n${" ".repeat(1_000)}:[1]}}`)).toEqual(["1"]);
});

test("keeps a bounded part of the text outside the list", () => {
  const text = `{"x":${JSON.stringify(Array.from({ length: 3_000_000 }, () => 1))}}`;
  expect(() => elements(text)).toThrow("more than 4096 KiB outside the list data.updates");
});
