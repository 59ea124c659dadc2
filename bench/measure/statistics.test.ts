import { expect, test } from "vitest";
import { alternate, figure, median, percentile, ratio } from "./statistics.ts";

test.each([
  [0.5, 50],
  [0.99, 99],
  [1, 100],
  [0, 1],
])("the %d-quantile of 1 to 100 is %d", (share, expected) => {
  const values = Float64Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(percentile(values, share)).toBe(expected);
});

test("of nothing there is no percentile, and no median", () => {
  expect(percentile(new Float64Array(), 0.5)).toBeNaN();
  expect(median([])).toBeNaN();
});

test("the median of an even number of values is between the middle ones", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([9, 1, 5])).toBe(5);
});

test("a figure keeps the least and the most", () => {
  expect(figure([3, 1, 2])).toEqual({ median: 2, least: 1, most: 3 });
});

test("ratios are taken round by round, so that a slow round does not count against one alone", () => {
  expect(ratio([200, 20, 2], [100, 10, 1])).toEqual({ median: 2, least: 2, most: 2 });
});

test("every contender is measured once a round, every other round in reverse", () => {
  expect(alternate(["a", "b", "c"], 3)).toEqual([
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["a", "b", "c"],
  ]);
});
