import { expect, test } from "vitest";
import { ConfiguredPrefixes } from "./configured-prefixes.ts";
import { originRule } from "./rules.ts";

const configured = (text: string, order = 0) => {
  const [, prefix = "", low, high] = /^([^^]+)(?:\^(\d+)-(\d+))?$/.exec(text) ?? [];
  const length = Number(prefix.split("/")[1]);
  return {
    prefix,
    low: Number(low ?? length),
    high: Number(high ?? length),
    order,
    rule: originRule(`${order}`, []),
    configuredAt: order,
    organisation: null,
  };
};

test.each([
  // exclusive and inclusive more specifics: each one is exact
  ["10.10.0.0/23^24-32", "10.10.1.0/24", "10.10.1.0/24", false],
  ["10.10.0.0/23^24-32", "10.10.0.0/23", undefined, undefined],
  ["10.10.0.0/23^23-32", "10.10.1.7/32", "10.10.1.7/32", false],
  // one length, and a range of lengths
  ["10.12.0.0/16^24-24", "10.12.0.0/23", undefined, undefined],
  ["10.12.0.0/16^24-24", "10.12.5.0/24", "10.12.5.0/24", false],
  ["10.12.0.0/16^24-24", "10.12.5.128/25", "10.12.5.0/24", true],
  ["10.13.0.0/16^20-24", "10.13.16.0/20", "10.13.16.0/20", false],
  ["10.13.0.0/16^20-24", "10.13.16.0/26", "10.13.16.0/24", true],
  ["10.0.0.0/8", "10.0.0.0/7", undefined, undefined],
  ["10.0.0.0/8", "10.1.0.9/16", "10.0.0.0/8", true],
  ["2001:db8::/32", "2001:db8:1::/48", "2001:db8::/32", true],
  ["2001:db8::/32", "32.1.13.0/24", undefined, undefined],
  ["0.0.0.0/0", "192.0.2.0/24", "0.0.0.0/0", true],
])("%s and the announced %s: %s", (text, announced, prefix, isMoreSpecific) => {
  const node = new ConfiguredPrefixes([configured(text)]).find(announced);
  expect([node?.prefix, node?.isMoreSpecific]).toEqual([prefix, isMoreSpecific]);
});

test("the longest prefix decides, with all of its rules in their order", () => {
  const prefixes = new ConfiguredPrefixes([
    configured("10.0.0.0/8^16-24", 2),
    configured("10.1.0.0/16", 1),
    configured("10.1.2.0/24", 3),
    configured("10.0.0.0/8", 0),
  ]);
  const found = (prefix: string) => {
    const node = prefixes.find(prefix);
    return [node?.prefix, node?.rules.map(({ rule }) => rule.name), node?.configured];
  };
  expect(found("10.1.2.0/24")).toEqual(["10.1.2.0/24", ["2", "3"], "10.1.2.0/24"]);
  expect(found("10.1.0.0/16")).toEqual(["10.1.0.0/16", ["1", "2"], "10.1.0.0/16"]);
  expect(found("10.1.2.3/32")).toEqual(["10.1.2.0/24", ["2", "3"], "10.1.2.0/24"]);
  expect(found("10.0.0.0/9")).toEqual(["10.0.0.0/8", ["0"], "10.0.0.0/8"]);
});

test("finds each prefix inside one of many, and none outside", () => {
  const texts = [
    "10.1.0.0/16",
    "10.1.4.0/22",
    "10.3.0.0/24",
    "10.3.1.0/24",
    "192.0.2.128/25",
    "0.0.0.0/8",
    "255.255.255.255/32",
  ];
  const prefixes = new ConfiguredPrefixes([...texts, "2001:db8:4::/46", "2001:db8:9::/48", "::/128"].map(configured));
  const inside = [
    "10.1.0.0/16",
    "10.1.255.255/32",
    "10.1.5.0/24",
    "10.3.0.0/25",
    "10.3.1.255/32",
    "192.0.2.255/32",
    "0.255.255.0/24",
  ];
  const outside = [
    "10.0.255.255/32",
    "10.2.0.0/16",
    "10.3.2.0/24",
    "10.1.0.0/15",
    "192.0.2.127/32",
    "1.0.0.0/8",
    "255.255.255.254/32",
  ];
  for (const each of [...inside, "255.255.255.255/32", "2001:db8:7:ffff::/64", "2001:DB8:9:0::1/128", "::/128"])
    expect(prefixes.find(each), each).toBeDefined();
  for (const each of [...outside, "2001:db8:8::/48", "2001:db8:3:ffff::/64", "2001:db8:a::/48", "::/0", "::1/128"])
    expect(prefixes.find(each), each).toBeUndefined();
});
