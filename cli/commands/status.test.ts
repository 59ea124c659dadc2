import { expect, test } from "vitest";
import { limitOf } from "./status.ts";

test("reads an age limit in milliseconds", () => {
  expect(limitOf("max-data-age", "15m")).toBe(900_000);
  expect(limitOf("max-data-age", undefined)).toBeUndefined();
});

test.each(["15", "0m", "yesterday", "2026-01-01"])("refuses the age limit %s by the name of its option", (text) =>
  expect(() => limitOf("max-data-age", text)).toThrow(`--max-data-age ${text} is not a duration`),
);
