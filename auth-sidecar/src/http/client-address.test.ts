import { expect, test } from "vitest";
import { clientAddress } from "./client-address.ts";

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
