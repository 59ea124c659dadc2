import { SocketAddress } from "node:net";
import { expect, test } from "vitest";
import { parsePrefix, prefixOf, printPrefix } from "./prefix.ts";

test.each([
  ["2001:db8::/32", "2001:db8::/32"],
  ["2001:db8:0:0:0:0:0:0/32", "2001:db8::/32"],
  ["2001:0db8::/32", "2001:db8::/32"],
  ["2001:DB8::/32", "2001:db8::/32"],
  ["2001:db8:1:2:3:4::/96", "2001:db8:1:2:3:4::/96"],
  ["2001:db8:1:2:3:4:5::/112", "2001:db8:1:2:3:4:5:0/112"],
  ["2001:0:0:0:1::/80", "2001::1:0:0:0/80"],
  ["::/0", "::/0"],
  ["2001:db8::/128", "2001:db8::/128"],
  ["2001:db8::/129", undefined],
  ["2001:db8::/032", undefined],
  ["2001:db8::", undefined],
  ["2001:db8::1::/64", undefined],
  ["20010:db8::/32", undefined],
  ["::ffff:192.0.2.1/128", "::ffff:192.0.2.1/128"],
  ["192.0.2.0/24", "192.0.2.0/24"],
  ["192.0.2.0/33", undefined],
  [7, undefined],
])("%s is printed as %s", (text, printed) => {
  expect(prefixOf(text)).toBe(printed);
});

test("reads and prints IPv6 prefixes with any groups of zeros", () => {
  for (let zeros = 0; zeros < 256; zeros += 1) {
    const groups = Array.from({ length: 8 }, (_, group) => ((zeros >> group) & 1 ? "0" : (0xa0 + group).toString(16)));
    const { address } = new SocketAddress({ address: groups.join(":"), family: "ipv6" });
    expect(prefixOf(`${groups.join(":")}/128`)).toBe(`${address}/128`);
    expect(prefixOf(`${address}/128`)).toBe(`${address}/128`);
    const number = groups.reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
    for (const text of [groups.join(":"), address])
      expect(parsePrefix(`${text}/128`)).toEqual({ family: 6, length: 128, bits: number });
    expect(printPrefix({ family: 6, length: 128, bits: number })).toBe(`${address}/128`);
  }
});
