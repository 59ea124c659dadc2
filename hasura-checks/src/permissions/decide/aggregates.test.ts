import { expect, test } from "vitest";
import { wrongAggregate } from "./aggregates.ts";

const expected = { count: "#2", max0: "#7", min0: "#3", max1: "b", min1: "a" };
const served = { count: "#2", max: { size: "#7", name: "b" }, min: { size: "#3", name: "a" } };
const names = ["size", "name"];

test("accepts the aggregate of SQL", () => {
  expect(wrongAggregate(served, expected, names)).toBeUndefined();
  expect(
    wrongAggregate({ count: "#0", max: { size: null }, min: { size: null } }, { count: "#0", max0: null, min0: null }, [
      "size",
    ]),
  ).toBeUndefined();
});

test.each([
  ["another count", { ...served, count: "#3" }, "counts 3 rows, and the filter gives 2"],
  [
    "a maximum of hidden rows",
    { ...served, max: { size: "#9", name: "b" } },
    "is told that the largest size is 9, and by the filter it is 7",
  ],
  [
    "a minimum of hidden rows",
    { ...served, min: { size: "#3", name: "Z" } },
    'is told that the smallest name is "Z", and by the filter it is "a"',
  ],
  [
    "no maximum",
    { ...served, max: { size: null, name: "b" } },
    "is told that the largest size is null, and by the filter it is 7",
  ],
])("reports %s in words", (_title, found, words) => {
  expect(wrongAggregate(found, expected, names)).toBe(words);
});
