import fc from "fast-check";
import { expect, test } from "vitest";
import { expandPath, parsePathJson, parsePathText } from "./as-path.ts";
import { Refusal } from "./refusal.ts";

const asNumber = fc.integer({ min: 0, max: 4_294_967_295 });
const path = fc.array(
  fc.oneof({ weight: 4, arbitrary: asNumber }, fc.array(asNumber, { minLength: 1, maxLength: 3 })),
  { maxLength: 5 },
);

test.each([
  ["", []],
  ["64496", [64_496]],
  ["64496 65536 64511", [64_496, 65_536, 64_511]],
  ["1273 55410 38266 {38266}", [1273, 55_410, 38_266, [38_266]]],
  ["64496 {64497,64498} 64499", [64_496, [64_497, 64_498], 64_499]],
])("reads the text '%s'", (text, expected) => {
  expect(parsePathText(text)).toEqual(expected);
});

test.each([
  ["64496  64497", "not a list"],
  ["64496 x", "not a list"],
  ["-1", "not a list"],
  ["4294967296", "not a list"],
  ["1.10", "not a list"],
  ["64496 {64497", "not a list"],
  ["64496 {}", "not a list"],
  ["64496 {1,}", "not a list"],
  ["64496 {1 2}", "not a list"],
  ["007", "not a list"],
  ["(64512 64513) 64496", "confederation"],
  ["64496 [64512]", "confederation"],
])("rejects the text '%s'", (text, reason) => {
  expect(parsePathText(text)).toMatchObject({ reason: expect.stringContaining(reason) as string });
});

test("reads back the text that bgpdump prints", () => {
  fc.assert(
    fc.property(path, (path) => {
      const text = path.map((element) => (typeof element === "number" ? element : `{${element.join(",")}}`)).join(" ");
      expect(parsePathText(text)).toEqual(path);
      expect(parsePathJson(JSON.parse(JSON.stringify(path)))).toEqual(path);
    }),
  );
});

test.each([[null], ["64496"], [{}], [[-1]], [[1.5]], [[4_294_967_296]], [[[]]], [[[1, "2"]]], [[null]], [["x"]]])(
  "the JSON %j is refused",
  (json) => {
    expect(parsePathJson(json)).toBeInstanceOf(Refusal);
  },
);

test("keeps a path without sets as one row without an original", () => {
  expect(expandPath([64_496, 64_497])).toEqual({ rows: [[64_496, 64_497]], original: null });
  expect(expandPath([])).toEqual({ rows: [[]], original: null });
});

test("creates a row for every choice of set members and keeps the announced path", () => {
  expect(expandPath([1, [2, 3], [4, 5, 4]])).toEqual({
    rows: [
      [1, 2, 4],
      [1, 2, 5],
      [1, 3, 4],
      [1, 3, 5],
    ],
    original: "[1,[2,3],[4,5,4]]",
  });
});

test("rejects a path whose sets would become thousands of rows", () => {
  const set = Array.from({ length: 100 }, (_, index) => index);
  expect(expandPath([set, set])).toBeInstanceOf(Refusal);
});

test("each row has one member of every element, in order, without duplicates", () => {
  fc.assert(
    fc.property(path, (path) => {
      const expanded = expandPath(path);
      if (expanded instanceof Refusal) throw new Error(expanded.reason);
      expect(new Set(expanded.rows.map(String)).size).toBe(expanded.rows.length);
      expect(expanded.rows.length).toBe(
        path.reduce<number>((product, element) => product * new Set([element].flat()).size, 1),
      );
      for (const row of expanded.rows) {
        expect(row.length).toBe(path.length);
        for (const [index, element] of path.entries()) expect([element].flat()).toContain(row[index]);
      }
    }),
  );
});
