import { expect, test } from "vitest";
import { requestId } from "./request-id.ts";

test("uses the gateway's id", () => {
  expect(requestId("0123456789abcdef0123456789abcdef")).toBe("0123456789abcdef0123456789abcdef");
});

test.each([
  undefined,
  "",
  "short",
  "x".repeat(65),
  "a b c d e f g h",
  'x"},{"level":"error',
  ["0123456789abcdef", "0123456789abcdef"],
])("%j is replaced by a new one", (header) => {
  expect(requestId(header)).toMatch(/^[0-9a-f-]{36}$/);
  expect(requestId(header)).not.toBe(requestId(header));
});
