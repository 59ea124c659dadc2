import { expect, test } from "vitest";
import { ratePerMillion } from "./loader.ts";

test("counts the rate of each million and of the rest", () => {
  const marks = [
    { rows: 500_000, at: 20 },
    { rows: 1_000_000, at: 30 },
    { rows: 2_000_000, at: 80 },
    { rows: 2_300_000, at: 90 },
  ];
  expect(ratePerMillion(marks, 10)).toEqual([50_000, 20_000, 30_000]);
});
