import { expect, test } from "vitest";
import { clockDistance } from "./database-facts.ts";

test.each([
  ["during the query", 1000, 500, 40_000, 0],
  ["before the query", 1000, 5000, 40_000, -4000],
  ["after the query", 50_000, 500, 40_000, 10_000],
])("a database's time %s: %d between %d and %d is a distance of %d", (_, clock, start, end, distance) => {
  expect(clockDistance(clock, start, end)).toBe(distance);
});
