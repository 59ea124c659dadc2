import { expect, test } from "vitest";
import { addressOf, overlap, parseRange, parseRanges, subnetsOf } from "./ipv4-range.ts";

test.each(["192.168.1.0", "192.168.1.0/33", "192.168.1/24", "fd00::/8", "", "a.b.c.d/8"])(
  "%j is no IPv4 range",
  (text) => expect(parseRange(text)).toBeUndefined(),
);

test("a range begins at the network's address, also when host bits are set", () => {
  const range = parseRange("192.168.200.77/20")!;
  expect([addressOf(range.first), addressOf(range.last), range.prefix]).toEqual([
    "192.168.192.0",
    "192.168.207.255",
    20,
  ]);
});

test.each([
  ["10.0.0.0/8", "10.255.255.0/24", true],
  ["10.1.2.0/24", "10.1.2.128/25", true],
  ["10.1.2.0/25", "10.1.2.128/25", false],
  ["0.0.0.0/0", "255.255.255.255/32", true],
])("%s and %s overlap: %s", (one, other, expected) => {
  expect(overlap(parseRange(one)!, parseRange(other)!)).toBe(expected);
  expect(overlap(parseRange(other)!, parseRange(one)!)).toBe(expected);
});

test("a range is divided into subnets of equal size", () => {
  expect([...subnetsOf(parseRange("192.168.3.0/24")!, 26)].map(({ text }) => text)).toEqual([
    "192.168.3.0/26",
    "192.168.3.64/26",
    "192.168.3.128/26",
    "192.168.3.192/26",
  ]);
});

test("several ranges are separated by commas", () => {
  expect(parseRanges("10.1.0.0/24, 10.2.0.0/24").map(({ first }) => addressOf(first))).toEqual([
    "10.1.0.0",
    "10.2.0.0",
  ]);
});
