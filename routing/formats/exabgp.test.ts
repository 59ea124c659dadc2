import { expect, test } from "vitest";
import { parseExabgp } from "./exabgp.ts";
import { PathIdentifiers } from "./path-identifiers.ts";

const line = (content: object, change: object = {}): string =>
  JSON.stringify({
    exabgp: "5.0.0",
    time: 1_781_598_108.123456,
    host: "router",
    pid: 1,
    ppid: 1,
    counter: 7,
    type: "update",
    neighbor: {
      address: { local: "192.0.2.2", peer: "192.0.2.1" },
      asn: { local: 64_510, peer: 64_496 },
      direction: "receive",
      ...content,
    },
    ...change,
  });

const update = (change: object): string =>
  line({
    message: {
      update: {
        attribute: { origin: "igp", "as-path": { "0": { element: "as-sequence", value: [64_496, 64_500] } } },
        announce: { "ipv4 unicast": { "192.0.2.1": [{ nlri: "198.51.100.0/24" }] } },
        ...change,
      },
    },
  });

const parse = (text: string, identifiers = new PathIdentifiers()): unknown =>
  parseExabgp(text, "exabgp|edge", identifiers).parsed;

const row = {
  timestamp: "2026-06-16T08:21:48.123456",
  prefix: "198.51.100.0/24",
  peerAsn: 64_496,
  monitor: null,
  type: "A",
  path: [64_496, 64_500],
  communities: "[]",
  service: "exabgp|edge",
};

test("reads an announcement of version 5, with communities", () => {
  const attribute = {
    "as-path": {
      "1": { element: "as-set", value: [64_501, 64_502] },
      "0": { element: "as-sequence", value: [64_496, 64_500] },
    },
    community: [[64_496, 100]],
    "large-community": [[64_496, 1, 2]],
  };
  expect(parseExabgp(update({ attribute }), "exabgp|edge", new PathIdentifiers())).toMatchObject({
    counter: 7,
    neighbor: "192.0.2.1",
    parsed: [{ ...row, path: [64_496, 64_500, [64_501, 64_502]], communities: "[[64496,100],[64496,1,2]]" }],
  });
});

test("refuses objects in place of numbers and names", () => {
  const refusedBy = (text: string): unknown => (parse(text) as readonly { readonly reason?: string }[])[0]?.reason;
  const attribute = { "as-path": { 0: { element: { toString: 1 }, value: [64_496] } } };
  expect(refusedBy(update({ attribute }))).toMatch("the path is not");
  expect(refusedBy(update({ attribute: {} }).replace('"peer":64496', '"peer":{"toString":1}'))).toMatch("AS number");
  const down = JSON.stringify({ type: "state", neighbor: { address: { peer: { toString: 1 } }, state: "down" } });
  expect(parse(down)).toEqual([{ skipped: "STATE" }]);
});

test("remembers no text that is not an address of a peer", () => {
  const named = line({}).replace('"peer":"192.0.2.1"', `"peer":"${"a".repeat(1_000_000)}"`);
  expect(parseExabgp(named, "exabgp|edge", new PathIdentifiers())).toMatchObject({ neighbor: "" });
  expect(parse(named)).toMatchObject([{ reason: "the peer's address or AS number is not understood" }]);
});

test("remembers a bounded number of paths of one prefix", () => {
  const identifiers = new PathIdentifiers();
  for (let id = 0; id < 2_000; id += 1) identifiers.announce("a", "198.51.100.0/24", id);
  for (let id = 0; id < 999; id += 1) expect(identifiers.remainsAfter("a", "198.51.100.0/24", id)).toBe(true);
  expect(identifiers.remainsAfter("a", "198.51.100.0/24", 999)).toBe(false);
});

test("reads the flat path of version 4, and its set at the end", () => {
  expect(parse(update({ attribute: { "as-path": [64_496, 64_500] } }))).toEqual([row]);
  expect(parse(update({ attribute: { "as-path": [64_496], "as-set": [64_500, 64_501] } }))).toEqual([
    { ...row, path: [64_496, [64_500, 64_501]] },
  ]);
});

test("reads version 4, which shows an empty confederation with every path", () => {
  const attribute = { "as-path": [64_496, 64_500], "as-set": [64_501, 64_502], "confederation-path": [] };
  expect(parse(update({ attribute }))).toEqual([{ ...row, path: [64_496, 64_500, [64_501, 64_502]] }]);
});

test("reads compact prefixes, and one prefix under two next hops once", () => {
  const hops = { "2001:db8::1": ["2001:db8:1::/48"], "fe80::1": ["2001:db8:1::/48"] };
  expect(parse(update({ announce: { "ipv6 unicast": hops } }))).toEqual([{ ...row, prefix: "2001:db8:1::/48" }]);
});

test("withdraws a prefix only with its last path", () => {
  const identifiers = new PathIdentifiers();
  const path = (id: string): object => ({ nlri: "198.51.100.0/24", "path-information": id });
  const announce = { "ipv4 unicast": { "192.0.2.1": [path("0.0.0.1"), path("0.0.1.0")] } };
  expect(parse(update({ announce }), identifiers)).toHaveLength(2);
  const withdrawal = (id: string): string =>
    line({ message: { update: { withdraw: { "ipv4 unicast": [path(id)] } } } });
  expect(parse(withdrawal("0.0.0.1"), identifiers)).toEqual([{ skipped: "withdrawal of one of several paths" }]);
  expect(parse(withdrawal("0.0.1.0"), identifiers)).toMatchObject([{ type: "W", prefix: "198.51.100.0/24" }]);
  parse(update({ announce }), identifiers);
  expect(parse(line({ state: "down" }, { type: "state" }), identifiers)).toEqual([{ skipped: "STATE" }]);
  expect(parse(withdrawal("0.0.0.1"), identifiers)).toMatchObject([{ type: "W", prefix: "198.51.100.0/24" }]);
});

test.each([
  [line({ message: { eor: { afi: "ipv4", safi: "unicast" } } }), "End-of-RIB"],
  [line({ state: "down" }, { type: "state" }), "STATE"],
  [line({}, { type: "keepalive" }), "keepalive"],
  [line({ direction: "send" }), "message that exabgp sent"],
  [update({ announce: { "ipv4 flow": { "no-nexthop": [{}] } } }), "other address family"],
])("skips %s", (text, skipped) => {
  expect(parse(text)).toEqual([{ skipped }]);
});

test.each([
  ["announce route 192.0.2.0/24", "not a JSON line of exabgp"],
  [line({ message: {} }), "not a JSON line of exabgp"],
  [line({}, { type: "constructor" }), "not a JSON line of exabgp"],
  [
    line({ message: { category: 2, header: "ff", body: "00" } }),
    "the line has bytes only; write parsed in place of packets in exabgp.conf",
  ],
  [line({}, { time: "now" }), "the time is not understood"],
  [line({ asn: { peer: "x" } }), "the peer's address or AS number is not understood"],
  [update({ attribute: { "as-path": [1], "confederation-path": [2] } }), "the path holds confederation segments"],
  ...["as-confed-sequence", "as-confed-set"].map((element): [string, string] => [
    update({ attribute: { "as-path": { 0: { element, value: [64_512] } } } }),
    "the path holds confederation segments",
  ]),
  [update({ attribute: { "as-path": ["x"] } }), "the path is not a list of AS numbers and AS sets"],
  [update({ attribute: { community: "x" } }), "a community is not understood"],
  [update({ announce: { "ipv4 unicast": { "192.0.2.1": [{ nlri: "x" }] } } }), "the prefix is not understood"],
  [
    update({ announce: { "ipv4 unicast": { "192.0.2.1": { "198.51.100.0/24": { "path-information": "0.0.0.3" } } } } }),
    "a version of exabgp before 4, whose lines lose paths",
  ],
  [
    update({ announce: {}, withdraw: { "ipv6 unicast": { "2001:db8::/32": {} } } }),
    "a version of exabgp before 4, whose lines lose paths",
  ],
])("refuses %s", (text, reason) => {
  expect(parse(text)).toEqual([expect.objectContaining({ reason })]);
});

test.each([
  ["state", '"state": "down", "reason": "notification received (2,7) \x01\x04\\x00 a "quote""', "STATE"],
  ["notification", '"direction": "receive", "notification": { "code": 6, "message": "back\\slash" }', "notification"],
])("reads a line of type %s with a text of the peer, which exabgp does not escape", (type, text, skipped) => {
  const whole = line({}, { type });
  expect(parseExabgp(`${whole.slice(0, -2)}, ${text} } }`, "exabgp|edge", new PathIdentifiers())).toMatchObject({
    counter: 7,
    neighbor: "192.0.2.1",
    parsed: [{ skipped }],
  });
});

test("a session that ends with a text of the peer forgets its paths", () => {
  const identifiers = new PathIdentifiers();
  identifiers.announce("192.0.2.1", "198.51.100.0/24", 1);
  parse(`${line({}, { type: "state" }).slice(0, -2)}, "state": "down", "reason": "\x01" } }`, identifiers);
  identifiers.announce("192.0.2.1", "198.51.100.0/24", 2);
  expect(identifiers.remainsAfter("192.0.2.1", "198.51.100.0/24", 2)).toBe(false);
});
