import { expect, test } from "vitest";
import { clientAddress, requestId } from "./request-context.ts";

test.each([
  ["192.0.2.1", "10.0.0.1", "192.0.2.1"],
  ["2001:db8::1", "10.0.0.1", "2001:db8::1"],
  [undefined, "10.0.0.1", "10.0.0.1"],
  [undefined, "::ffff:10.0.0.1", "10.0.0.1"],
  ["198.51.100.1, 192.0.2.1", "10.0.0.1", "192.0.2.1"],
  ["192.0.2.1, unknown", "10.0.0.1", "10.0.0.1"],
  ["192.0.2.1:4711", "10.0.0.1", "10.0.0.1"],
  ["'; drop table", "10.0.0.1", "10.0.0.1"],
  ["", undefined, ""],
  [["198.51.100.1", "192.0.2.1"], "10.0.0.1", "192.0.2.1"],
])("%j from %j is %s", (header, peer, address) => {
  expect(clientAddress(header, peer)).toBe(address);
});

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
