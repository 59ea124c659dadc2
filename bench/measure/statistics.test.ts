import { expect, test } from "vitest";
import { figure, inRounds, median, percentile, ratio } from "./statistics.ts";

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
  expect(ratio([200, 20, 2], [100, 10, 1], (value) => value)).toEqual({ median: 2, least: 2, most: 2 });
});

test("every contender is measured once a round, every other round in reverse", async () => {
  const order: string[] = [];
  const measured = await inRounds(["a", "b"], 3, async (contender, isWarmUp) => {
    order.push(isWarmUp ? `warm ${contender}` : contender);
    return order.length;
  });
  expect(order).toEqual(["warm a", "warm b", "a", "b", "b", "a", "a", "b"]);
  expect(measured).toEqual([
    [3, 6, 7],
    [4, 5, 8],
  ]);
});
