import { expect, test } from "vitest";
import { randomNumbers } from "../random.ts";
import { significant, timeDifference } from "./time-difference.ts";

/** Durations as on a busy machine: mostly similar, and one in eight far longer. */
function times(count: number, next: () => number, more = 0): number[] {
  return Array.from({ length: count }, () => more + 5 + next() + (next() < 0.125 ? 20 * next() : 0));
}

test("equal samples differ by one standard error, for any scatter of the slowest values", () => {
  const next = randomNumbers(1);
  const differences = Array.from({ length: 2000 }, () => timeDifference(times(150, next), times(150, next), 0.1));
  const scatter = Math.sqrt(differences.reduce((sum, value) => sum + value ** 2, 0) / differences.length);
  expect(scatter).toBeGreaterThan(0.8);
  expect(scatter).toBeLessThan(1.2);
  expect(Math.max(...differences.map(Math.abs))).toBeLessThan(significant);
});

test("finds a real difference", () => {
  const next = randomNumbers(2);
  expect(timeDifference(times(150, next), times(150, next, 2), 0.1)).toBeLessThan(-significant);
});

test("with nothing set aside it is Welch's t", () => {
  expect(timeDifference([1, 2, 3], [2, 4, 6], 0)).toBeCloseTo(-2 / Math.sqrt(1 / 3 + 4 / 3), 12);
});
