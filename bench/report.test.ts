import { expect, test } from "vitest";
import { number, spread, table } from "./report.ts";

test("aligns names left and figures right", () => {
  expect(table(["case", "server", "requests/s"], [["10 rows", "engine", "9,000"]])).toBe(
    ["case     server  requests/s", "10 rows  engine       9,000"].join("\n"),
  );
});

test.each([
  [12_345.6, "12,346"],
  [42.24, "42.2"],
  [1.5, "1.50"],
  [Number.NaN, "-"],
])("%d is shown as %s", (value, shown) => {
  expect(number(value)).toBe(shown);
});

test("a figure is shown with its spread", () => {
  expect(spread({ median: 2, least: 1, most: 3 })).toBe("2.00 (1.00-3.00)");
  expect(spread({ median: Number.NaN, least: 0, most: 0 })).toBe("-");
});
