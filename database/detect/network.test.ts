import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalPrefix } from "./network.ts";

test.each([
  ["192.0.2.0/24", "192.0.2.0/24", false],
  ["192.0.2.1/24", "192.0.2.1/24", true],
  ["192.0.2.1/32", "192.0.2.1/32", false],
  ["0.0.0.0/0", "0.0.0.0/0", false],
  ["2001:DB8:0::/32", "2001:db8::/32", false],
  ["2001:0db8:0000:0000:0000:0000:0000:0001/128", "2001:db8::1/128", false],
  ["2001:db8::1/64", "2001:db8::1/64", true],
  ["::/0", "::/0", false],
  ["::ffff:192.0.2.0/120", "::ffff:192.0.2.0/120", false],
  ["::ffff:192.0.2.1/120", "::ffff:192.0.2.1/120", true],
])("%s is %s", (text, prefix, hostBits) => {
  expect(canonicalPrefix(text)).toEqual({ prefix, hostBits });
});

test.each(["", "192.0.2.0", "192.0.2.0/33", "example/24"])("rejects '%s' as a prefix", (text) => {
  expect(canonicalPrefix(text)).toBeUndefined();
});

test("finds bits beyond the length in every IPv4 and IPv6 prefix", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 32n - 1n }), fc.integer({ min: 0, max: 32 }), (address, length) => {
      const text = [24n, 16n, 8n, 0n].map((shift) => (address >> shift) & 255n).join(".");
      expect(canonicalPrefix(`${text}/${length}`)?.hostBits).toBe(address % 2n ** BigInt(32 - length) !== 0n);
    }),
  );
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), fc.integer({ min: 0, max: 128 }), (address, length) => {
      const text = Array.from({ length: 8 }, (_, group) => ((address >> BigInt(112 - 16 * group)) & 0xffffn).toString(16)).join(
        ":",
      );
      expect(canonicalPrefix(`${text}/${length}`)?.hostBits).toBe(address % 2n ** BigInt(128 - length) !== 0n);
    }),
  );
});
