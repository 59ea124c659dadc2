import { describe, expect, test } from "vitest";
import { shownOrigins } from "./parsed-configuration.ts";
import { readConfiguration } from "./read-configuration.ts";

const text = `
prefixes:
  space: &space
    - 192.0.2.0/24
    - 198.51.100.0/24^-
  v6: &v6 2001:DB8::/32^33-48
monitors:
  riperis: ['rrc01', 'rrc03.ripe.net']
  bgpstreamlive: ['ris']
  exabgp:
    - ip: exabgp
      port: 5000
asns:
  own: &own
    64500
  range: &range
    64510 - 64519
  set: &set
    - 64530
    - [64531]
rules:
- prefixes:
  - *space
  origin_asns:
  - *own
  - *set
  neighbors:
  - *range
  mitigation: manual
  policies: [no-export]
  community_annotations:
  - critical:
    - in: ['64500:1']
      out: ['64500:2']
  - low:
    - in: ['64500:3']
- prefixes: *v6
  origin_asns: '*'
- prefixes:
  - *space
  origin_asns: [*own]
  prepend_seq:
  - [64501, 64500]
  - [64502]
autoignore:
  small:
    thres_num_peers_seen: 2
    thres_num_ases_infected: 3
    interval: 600
    prefixes: [*space]
`;

test("reads ARTEMIS's file", () => {
  const { prefixes, autoignore, warnings } = readConfiguration(text, "artemis.yaml");
  const range = (prefix: string) =>
    prefixes.find((each) => each.prefix === prefix)?.rules.map(({ low, high, order }) => [low, high, order]);
  expect(prefixes.map(({ prefix }) => prefix)).toEqual(["192.0.2.0/24", "198.51.100.0/24", "2001:db8::/32"]);
  expect(range("192.0.2.0/24")).toEqual([
    [24, 24, 0],
    [24, 24, 2],
  ]);
  expect(range("198.51.100.0/24")?.[0]).toEqual([25, 32, 0]);
  expect(range("2001:db8::/32")).toEqual([[33, 48, 1]]);
  expect(prefixes[0]?.rules.map(({ rule }) => rule)).toEqual([
    {
      name: "rule 1",
      origins: [64_500, 64_530, 64_531],
      neighbours: [[64_510, 64_519]],
      prepends: [],
      noExport: true,
      moreSpecifics: "hijack",
      annotations: [
        { name: "critical", conditions: [{ in: ["64500:1"], out: ["64500:2"] }] },
        { name: "low", conditions: [{ in: ["64500:3"], out: [] }] },
      ],
    },
    {
      name: "rule 3",
      origins: [64_500],
      neighbours: [],
      prepends: [[64_501, 64_500], [64_502]],
      noExport: false,
      moreSpecifics: "hijack",
      annotations: [],
    },
  ]);
  expect(shownOrigins(prefixes[0]!.rules)).toEqual([64_500, 64_530, 64_531]);
  expect(shownOrigins(prefixes[2]!.rules)).toEqual([-1]);
  expect(autoignore).toEqual([
    {
      name: "small",
      peers: 2,
      ases: 3,
      seconds: 600,
      prefixes: [
        { prefix: "192.0.2.0/24", low: 24, high: 24 },
        { prefix: "198.51.100.0/24", low: 25, high: 32 },
      ],
    },
  ]);
  expect(warnings).toEqual([
    "artemis.yaml:8: monitors.riperis: has no effect; sources are settings of the stack: FEED=ris-live and FEED_COLLECTORS=rrc01,rrc03",
    "artemis.yaml:9: monitors.bgpstreamlive: is no source here. Load files of the collectors, or set FEED=ris-live",
    "artemis.yaml:10: monitors.exabgp: has no effect; sources are settings of the stack: FEED=exabgp and FEED_EXABGP_ADDRESS",
  ]);
});

test.each([
  ["192.0.2.0/24^-", 25, 32],
  ["192.0.2.0/24^+", 24, 32],
  ["192.0.2.0/24^26", 26, 26],
  ["192.0.2.0/24^26-28", 26, 28],
  ["192.0.2.1", 32, 32],
  ["2001:db8::/32^+", 32, 128],
  ["2001:db8::1", 128, 128],
])("%s has lengths from %i to %i", (prefix, low, high) => {
  const { prefixes } = readConfiguration(`rules: [{ prefixes: ["${prefix}"] }]`, "a.yaml");
  expect(prefixes[0]?.rules[0]).toMatchObject({ low, high, rule: { origins: [] } });
});

describe("reports a problem with its line", () => {
  const rule = (fields: string) => `prefixes: {}\nrules:\n- prefixes: [192.0.2.0/24]\n${fields}`;
  test.each([
    ["rules: []", "a.yaml:1: rules: have no prefix, so there is nothing to detect. List prefixes and their origins"],
    [
      "monitors:\n  exabgp:\n  - { ip: 192.0.2.1, port: 1, autoconf: 'true' }\nrules: []",
      "a.yaml:4: rules: have no prefix",
    ],
    ["rules:\n- origin_asns: [1]", "a.yaml:2: rules.0.prefixes: must list at least one prefix"],
    [`${rule("")}extra: 1`, "a.yaml:4: extra: is no section"],
    ["prefixes:\n  own:\n    - 192.0.2.0/24^23\nrules: []", "a.yaml:3: 192.0.2.0/24^23: lengths must be from 24 to 32"],
    ["rules:\n- prefixes:\n  - 192.0.2.0/24^28-26", "a.yaml:3: 192.0.2.0/24^28-26: lengths must be"],
    ["rules:\n- prefixes:\n  - 192.0.2.1/32^-", "a.yaml:3: 192.0.2.1/32^-: there is no more specific prefix"],
    ["rules:\n- prefixes:\n  - 192.0.2.1/24", "a.yaml:3: 192.0.2.1/24 has bits set beyond its length"],
    [rule("  origin_asns: [1, '*']"), "a.yaml:4: * is neither an AS number nor a range"],
    [rule("  origin_asns:"), "a.yaml:4: rules.0.origin_asns: has no value"],
    [rule("  neighbors:"), "a.yaml:4: rules.0.neighbors: has no value"],
    [rule("  origin_asns: [9 - 1]"), "a.yaml:4: 9 - 1 is neither an AS number nor a range"],
    [rule("  neighbors: [1]\n  prepend_seq: [[2]]"), "a.yaml:5: rules.0: has neighbors and prepend_seq"],
    [rule("  prepend_seq: [[x]]"), "a.yaml:4: rules.0.prepend_seq: x is no AS number"],
    ["asns:\n  RIPE_WHOIS_AS_SET_AS-X: []\nrules: []", "a.yaml:2: asns.RIPE_WHOIS_AS_SET_AS-X: has no members"],
    [
      rule("  community_annotations: [{ a: [{ on: ['1:1'] }] }]"),
      "a.yaml:4: rules.0.community_annotations: on is neither",
    ],
    [rule("  community_annotations: [{ a: [{ in: ['x'] }] }]"), "x is no community"],
    [rule("  community_annotations: [{ a: [] }, { a: [] }]"), "a appears twice"],
    ["monitors:\n  smoke: 1\nrules: []", "a.yaml:2: monitors.smoke: is no monitor"],
    [
      "autoignore:\n  a:\n    interval: soon\n    prefixes: [192.0.2.0/24]\nrules: []",
      "a.yaml:3: autoignore.a.interval",
    ],
  ])("%j: %s", (yaml, message) => {
    expect(() => readConfiguration(yaml, "a.yaml")).toThrow(message);
  });
});

test("a rule of an empty group of prefixes has no effect", () => {
  const yaml = "prefixes: { old: &old [] }\nrules:\n- prefixes: [*old]\n- prefixes: [192.0.2.0/24]";
  const { prefixes, warnings } = readConfiguration(yaml, "a.yaml");
  expect(prefixes.map(({ prefix }) => prefix)).toEqual(["192.0.2.0/24"]);
  expect(warnings).toEqual(["a.yaml:3: rules.0.prefixes: lists no prefix, so that the rule has no effect"]);
});

test("reports a wrong value once that several aliases name", () => {
  const yaml = "prefixes: { own: &own [192.0.2.1/24] }\nrules:\n- prefixes: [*own]\n- prefixes: [*own]";
  expect(() => readConfiguration(yaml, "a.yaml")).toThrow(/^a.yaml:1: 192.0.2.1\/24 has bits set beyond its length$/);
});

test("reads files with a monitor of earlier versions of ARTEMIS", () => {
  const yaml = "monitors:\n  betabmp: ['betabmp']\nrules: [{ prefixes: [192.0.2.0/24] }]";
  expect(readConfiguration(yaml, "a.yaml").warnings).toEqual([
    "a.yaml:2: monitors.betabmp: is no source here. Load files of the collectors, or set FEED=ris-live",
  ]);
});

test("names the settings of all collectors, and prefixes that ARTEMIS would learn", () => {
  const yaml = `
monitors:
  riperis: ['']
  exabgp: [{ ip: exabgp, port: 5000, autoconf: 'true' }]
rules: [{ prefixes: [192.0.2.0/24] }]
`;
  expect(readConfiguration(yaml, "a.yaml").warnings).toEqual([
    "a.yaml:3: monitors.riperis: has no effect; sources are settings of the stack: FEED=ris-live",
    expect.stringMatching(/^a\.yaml:4: monitors\.exabgp: has no effect/),
    "a.yaml:4: monitors.exabgp.autoconf: has no effect; prefixes are not learned",
  ]);
});

test.each([
  ["rules: [{ prefixes: [{ own: 192.0.2.0/24 }] }]", '{"own":"192.0.2.0/24"} is no IPv4 or IPv6 prefix'],
  ["rules: [{ prefixes: [{ toString: 1 }] }]", '{"toString":1} is no IPv4 or IPv6 prefix'],
  ["asns: { own: [{ toString: 1 }] }", '{"toString":1} is neither an AS number nor a range'],
  ["rules: [{ prefixes: [192.0.2.0/24], prepend_seq: [[{ toString: 1 }]] }]", '{"toString":1} is no AS number'],
  ["rules: [{ community_annotations: [{ a: [{ in: [{ toString: 1 }] }] }] }]", '{"toString":1} is no community'],
  ["autoignore: { a: { interval: { valueOf: 1, toString: 1 } } }", "autoignore.a.interval: must be a whole number"],
])("shows a mapping in place of a value: %s", (yaml, message) => {
  expect(() => readConfiguration(yaml, "a.yaml")).toThrow(message);
});

test("shows a mapping in place of a policy", () => {
  const yaml = "rules: [{ prefixes: [192.0.2.0/24], policies: [{ toString: 1 }] }]";
  expect(readConfiguration(yaml, "a.yaml").warnings).toEqual([
    'a.yaml:1: rules.0.policies: {"toString":1} is not known and has no effect',
  ]);
});

test("warns of parts without effect", () => {
  const yaml = "rules:\n- prefixes: [192.0.2.0/24]\n  colour: red\n  mitigation: auto\n  policies: [other]\n";
  expect(readConfiguration(yaml, "a.yaml").warnings).toEqual([
    "a.yaml:3: rules.0.colour: is not known and has no effect",
    "a.yaml:5: rules.0.policies: other is not known and has no effect",
    "a.yaml:4: rules.0.mitigation: nothing is run; operators mitigate",
  ]);
});

test("converts BGPalerter's prefixes.yml", () => {
  const yaml = `
192.0.2.0/24:
  description: ours
  asn: [64500, 64501]
  ignoreMorespecifics: false
  ignore: false
  group: noc
198.51.100.0/24: { asn: [64500], ignoreMorespecifics: true, path: [] }
2001:db8::/32: { asn: 64500, ignore: true }
options: { monitorASns: { 64500: { group: noc } } }
`;
  const { prefixes, warnings } = readConfiguration(yaml, "prefixes.yml");
  expect(prefixes.map(({ prefix, rules }) => [prefix, rules[0]?.rule.origins, rules[0]?.rule.moreSpecifics])).toEqual([
    ["192.0.2.0/24", [64_500, 64_501], "hijack"],
    ["198.51.100.0/24", [64_500], "allowed"],
    ["2001:db8::/32", "*", "allowed"],
  ]);
  expect(warnings).toHaveLength(2);
  expect(() => readConfiguration("192.0.2.0/24:\n  asn: x\n", "p.yml")).toThrow("p.yml:2: 192.0.2.0/24: asn must be");
});

test("names the parts of BGPalerter's prefixes.yml without effect, with line and reason", () => {
  const yaml = `
192.0.2.0/24:
  asn: 64500
  path:
    - { match: ".*64501,64500$", matchDescription: scrubbing }
  colour: red
options:
  monitorASns:
    64500:
      group: noc
      upstreams: [64501]
`;
  expect(readConfiguration(yaml, "p.yml").warnings).toEqual([
    "p.yml:4: 192.0.2.0/24: path has no effect: paths are judged by neighbors or prepend_seq in rules of ARTEMIS's file",
    "p.yml:6: 192.0.2.0/24: colour is not known and has no effect",
    "p.yml:7: options: has no effect: only listed prefixes are watched; upstreams are neighbors in rules of ARTEMIS's file",
  ]);
});

test("takes the monitors of BGPalerter's prefixes by their usual names", () => {
  const yaml = `
192.0.2.0/24: { asn: 64500, excludeMonitors: [withdrawal-detection] }
198.51.100.0/24: { asn: 64500, includeMonitors: [withdrawal-detection] }
203.0.113.1/24: { asn: 64500 }
2001:db8::/32: { asn: 64500, includeMonitors: [] }
`;
  const { prefixes, warnings } = readConfiguration(yaml, "prefixes.yml");
  expect(prefixes.map(({ prefix, minPeers, rules }) => [prefix, minPeers, rules[0]?.rule.origins])).toEqual([
    ["192.0.2.0/24", 0, [64_500]],
    ["198.51.100.0/24", 1, "*"],
    ["203.0.113.0/24", 1, [64_500]],
    ["2001:db8::/32", 1, [64_500]],
  ]);
  expect(warnings).toEqual([
    "prefixes.yml:4: 203.0.113.1/24 has bits set beyond its length; it is read as 203.0.113.0/24",
  ]);
});

test("takes more specific prefixes of BGPalerter's prefixes by the monitors that watch them", () => {
  const moreSpecifics = (monitors: string): unknown => {
    const { prefixes } = readConfiguration(`192.0.2.0/24: { asn: 64500, ${monitors} }`, "prefixes.yml");
    return prefixes[0]?.rules[0]?.rule.moreSpecifics;
  };
  expect(moreSpecifics("excludeMonitors: [withdrawal-detection]")).toBe("hijack");
  expect(moreSpecifics("excludeMonitors: [basic-hijack-detection]")).toBe("allowed");
  expect(moreSpecifics("includeMonitors: [withdrawal-detection]")).toBe("allowed");
  // Those of the own AS are the concern of another monitor.
  expect(moreSpecifics("excludeMonitors: [prefix-detection]")).toBe("origins");
  expect(moreSpecifics("includeMonitors: [basic-hijack-detection]")).toBe("origins");
  expect(moreSpecifics("includeMonitors: [basic-hijack-detection, prefix-detection]")).toBe("hijack");
});

test.each([
  ["192.0.2.0/24:", "p.yml:1: 192.0.2.0/24: must be a mapping with asn"],
  ["192.0.2.0/24: { base_asn: 1 }", "p.yml:1: 192.0.2.0/24: must be a mapping with asn"],
  ["192.0.2.0/24: { asn: [] }", "p.yml:1: 192.0.2.0/24: asn lists no AS number"],
  ["192.0.2.0/24: { asn: 1 }\n192.0.2.1/24: { asn: 1 }", "p.yml:2: 192.0.2.1/24: the file has the prefix 192.0.2.0/24"],
  ["192.0.2.0/24: { asn: 1, ignore: maybe }", "p.yml:1: 192.0.2.0/24: ignore must be true or false"],
  ["192.0.2.0/24: { asn: 1, includeMonitors: all }", "p.yml:1: 192.0.2.0/24: includeMonitors must be a list of names"],
  ["192.0.2.0/24: { asn: 1, includeMonitors: }", "p.yml:1: 192.0.2.0/24: includeMonitors must be a list of names"],
  ["192.0.2.0/24: { asn: 1, excludeMonitors: }", "p.yml:1: 192.0.2.0/24: excludeMonitors must be a list of names"],
  ["192.0.2.0/24: { asn: 1, excludeMonitors: 5 }", "p.yml:1: 192.0.2.0/24: excludeMonitors must be a list of names"],
  [
    "192.0.2.0/24: { asn: 1, includeMonitors: [a], excludeMonitors: [b] }",
    "p.yml:1: 192.0.2.0/24: has includeMonitors and excludeMonitors",
  ],
  ["192.0.2.0/24: { asn: [{ toString: 1 }] }", 'p.yml:1: 192.0.2.0/24: asn must be AS numbers, not {"toString":1}'],
  ["options: { monitorASns: { 1: { group: a } } }", "p.yml:1: the file has no prefix"],
  [
    "connectors: []\nmonitors: []",
    "p.yml:1: connectors: this is BGPalerter's config.yml. Give the file of its prefixes, such as prefixes.yml, in",
  ],
  [
    "monitors: []\nconnectors: []\nmonitoredPrefixesFiles: [own.yml, b.yml]",
    "p.yml:3: monitoredPrefixesFiles: this is BGPalerter's",
  ],
])("refuses a file of BGPalerter: %j", (yaml, message) => {
  expect(() => readConfiguration(yaml, "p.yml")).toThrow(message);
});
