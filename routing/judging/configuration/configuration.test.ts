import { readdirSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalPrefix } from "../../formats/prefix.ts";
import { wantedPeers } from "./parsed-configuration.ts";
import { ConfigurationError } from "./problems.ts";
import { readConfiguration } from "./read-configuration.ts";
import { originRule } from "../rules.ts";

/** A prefix of the own form. */
function configured(prefix: string, origins: number[], organisation: string | null) {
  const length = Number(prefix.split("/")[1]);
  return {
    prefix,
    organisation,
    minPeers: 1,
    rules: [{ low: length, high: length, order: 0, rule: originRule("origins", origins) }],
  };
}

test("prefixes, origins and organisations are read", () => {
  const text = `
organisations:
  - { id: example-net, name: " Example Net " }
prefixes:
  - prefix: 192.0.2.0/24
    origins: [64500, 65536]
    organisation: example-net
  - { prefix: "2001:DB8::/32", origins: [] }
`;
  expect(readConfiguration(text, "c.yaml")).toEqual({
    organisations: [{ id: "example-net", name: "Example Net" }],
    prefixes: [configured("192.0.2.0/24", [64_500, 65_536], "example-net"), configured("2001:db8::/32", [], null)],
    autoignore: null,
    warnings: [],
  });
});

describe("reports a problem with its line", () => {
  test.each([
    ["", "c.yaml:1: the file is empty. ARTEMIS's configuration, BGPalerter's prefixes.yml or "],
    ["# later\n", "c.yaml:1: the file is empty. "],
    ["BGP4MP|1|A|192.0.2.1|64500|198.51.100.0/24|64500|IGP\n", "c.yaml:1: the file is no mapping. ARTEMIS's "],
    ["\n- 192.0.2.0/24\n", "c.yaml:2: the file is no mapping. ARTEMIS's "],
    ["<html><a: b>\n- x\n</html>", "is expected: npm run detect -- --help"],
    ["services: {}", "c.yaml:1: prefixes: this key is required"],
    ["prefixes: 192.0.2.0/24", "c.yaml:1: prefixes: a list is expected, and this is a text"],
    ["prefixes: []", "c.yaml:1: prefixes: no prefix is listed"],
    ["prefixes: [\n", "c.yaml:2: "],
    ["prefixes:\n  - prefix: 192.0.2.0/24\n    origin: [1]", "c.yaml:3: prefixes.0.origin: is not known here"],
    ["prefixes:\n  - prefix: 192.0.2.0/24", "c.yaml:2: prefixes.0.origins: "],
    [
      "prefixes:\n  - { prefix: 192.0.2.0/33, origins: [1] }",
      "c.yaml:2: prefixes.0.prefix: 192.0.2.0/33 is no IPv4 or IPv6 prefix",
    ],
    [
      "prefixes:\n\n  - { prefix: 192.0.2.7/24, origins: [1] }",
      "c.yaml:3: prefixes.0.prefix: 192.0.2.7/24 has bits set beyond its length",
    ],
    ["prefixes:\n  - prefix: 192.0.2.0/24\n    origins:\n      - 1\n      - AS2", "c.yaml:5: prefixes.0.origins.1: "],
    ["prefixes:\n  - { prefix: 192.0.2.0/24, origins: [4294967296] }", "c.yaml:2: prefixes.0.origins.0: "],
    [
      "prefixes:\n  - { prefix: 192.0.2.0/24, origins: [1], organisation: Not Good }",
      "c.yaml:2: prefixes.0.organisation: ",
    ],
    [
      "prefixes:\n  - { prefix: 192.0.2.0/24, origins: [1] }\n  - { prefix: 192.0.2.0/24, origins: [2] }",
      "c.yaml:3: the prefix is on line 2 already",
    ],
    [
      "prefixes:\n  - { prefix: '2001:db8::/32', origins: [1] }\n  - { prefix: '2001:DB8:0::/32', origins: [2] }",
      "c.yaml:3: the prefix is on line 2",
    ],
    [
      "organisations:\n  - { id: a, name: A }\n  - { id: a, name: B }\nprefixes:\n  - { prefix: 192.0.2.0/24, origins: [1] }",
      "c.yaml:3: the id is on line 2",
    ],
    ["prefixes: 1\nprefixes: 2", "c.yaml:2: "],
  ])("%j: %s", (text, message) => {
    expect(() => readConfiguration(text, "c.yaml")).toThrow(message);
  });
});

test("the number of peers is that of the prefix, else of the file", () => {
  const text =
    "min_peers: 5\nprefixes:\n  - { prefix: 192.0.2.0/24, origins: [1] }\n  - { prefix: 198.51.100.0/24, origins: [1], min_peers: 0 }\n  - { prefix: 203.0.113.0/24, origins: [] }";
  const { prefixes } = readConfiguration(text, "c.yaml");
  expect(prefixes.map(wantedPeers)).toEqual([5, null, null]);
  expect(() => readConfiguration(text.replace("5", "-1"), "c.yaml")).toThrow("c.yaml:1: min_peers: ");
});

test("a range of lengths that leaves the prefix out does not watch it", () => {
  const text = `prefixes: { own: &own [192.0.2.0/24^25-26, 198.51.100.0/24^24-26] }
asns: { us: &us [64500] }
rules: [{ prefixes: [*own], origin_asns: [*us], mitigation: manual }]`;
  const { prefixes } = readConfiguration(text, "c.yaml");
  expect(prefixes.map((each) => [each.prefix, wantedPeers(each)])).toEqual([
    ["192.0.2.0/24", null],
    ["198.51.100.0/24", 1],
  ]);
});

test("reports all problems together in the order of the lines", () => {
  const text = "prefixes:\n  - { prefix: x, origins: [1] }\n  - { prefix: 192.0.2.0/24, origins: 7 }\nextra: 1\n";
  expect(() => readConfiguration(text, "c.yaml")).toThrow(
    /^c.yaml:2: [^\n]+\nc.yaml:3: [^\n]+\nc.yaml:4: extra: is not known here$/,
  );
});

test("one anchor may stand in any number of prefixes", () => {
  const own = Array.from(
    { length: 300 },
    (_, index) => `  - { prefix: 10.${index >> 8}.${index & 255}.0/24, <<: *own }\n`,
  );
  const text = `prefixes:\n  - &own { prefix: 192.0.2.0/24, origins: [64500], organisation: example-net }\n${own.join("")}`;
  const { prefixes } = readConfiguration(text, "c.yaml");
  expect(prefixes).toHaveLength(301);
  expect(prefixes[300]).toEqual(configured("10.1.43.0/24", [64_500], "example-net"));
});

const examples = new URL("../../examples/", import.meta.url);

test.each(readdirSync(examples).filter((name) => name.endsWith(".yaml")))(
  "the example %s is right, and has prefixes for documentation alone",
  (name) => {
    const { prefixes } = readConfiguration(readFileSync(new URL(name, examples), "utf8"), name);
    for (const { prefix } of prefixes) expect(prefix).toMatch(/^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|2001:db8:)/);
  },
);

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
      const text = Array.from({ length: 8 }, (_, group) =>
        ((address >> BigInt(112 - 16 * group)) & 0xffffn).toString(16),
      ).join(":");
      expect(canonicalPrefix(`${text}/${length}`)?.hostBits).toBe(address % 2n ** BigInt(128 - length) !== 0n);
    }),
  );
});

test("reads any YAML, or names its problems", () => {
  const names =
    "toString valueOf __proto__ prefixes origin_asns prepend_seq policies in interval community_annotations " +
    "riperis exabgp asn includeMonitors prefix origins min_peers";
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>("192.0.2.0/24^26", "*", "1 - 9", 64_500, -1, 1.5, null, true, "", "64500:1"),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names.split(" ")), tie("value"), { maxKeys: 4 }),
    ),
  }));
  const sections = fc.constantFrom("prefixes", "asns", "monitors", "rules", "autoignore", "192.0.2.0/24", "options");
  fc.assert(
    fc.property(fc.dictionary(sections, value, { maxKeys: 4 }), (file) => {
      try {
        readConfiguration(JSON.stringify(file), "a.yaml");
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigurationError);
        expect(String(error)).not.toContain("[object Object]");
      }
    }),
  );
});
