import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asPath,
  attribute,
  bgp4mp,
  message,
  nextHop,
  origin,
  prefix24,
  prefix48,
  reach6,
  record,
  segments,
  u32,
  unreach6,
  update,
} from "../testing/mrt-encoder.ts";
import { isMrt, mrtUpdates } from "./mrt.ts";
import type { ByteSource } from "./records.ts";
import { BrokenInput, Refusal } from "./refusal.ts";

async function* inChunks(bytes: Buffer, size: number): ByteSource {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** All records: updates as they are, others by their reason. */
async function read(bytes: Buffer, { size = 65_536, asAnnouncements = false } = {}): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const batch of mrtUpdates(inChunks(bytes, size), { service: "example|north", asAnnouncements }))
    for (const { parsed } of batch)
      found.push(parsed instanceof Refusal ? parsed.reason : "skipped" in parsed ? parsed.skipped : parsed);
  return found;
}

const announcement = update({ attributes: [origin, asPath(64_496, 64_500), nextHop], announced: prefix24 });
const common = { timestamp: "2016-08-11T16:00:00", peerAsn: 64_496, monitor: null, service: "example|north" };
const announced = { ...common, type: "A", prefix: "198.51.100.0/24", path: [64_496, 64_500], communities: "[]" };
const withdrawn = { ...common, type: "W", prefix: "198.51.100.0/24", path: [], communities: "[]" };

test("reads an announcement and a withdrawal", async () => {
  const bytes = Buffer.concat([bgp4mp(announcement), bgp4mp(update({ withdrawn: prefix24 }))]);
  expect(isMrt(bytes)).toBe(true);
  expect(await read(bytes)).toEqual([announced, withdrawn]);
});

test("reads IPv6 prefixes of MP_REACH_NLRI and MP_UNREACH_NLRI", async () => {
  const bytes = bgp4mp(update({ attributes: [unreach6(prefix48), origin, asPath(64_496), reach6(prefix48)] }));
  expect(await read(bytes)).toEqual([
    { ...withdrawn, prefix: "2001:db8:1::/48" },
    { ...announced, prefix: "2001:db8:1::/48", path: [64_496] },
  ]);
});

test("keeps the microseconds of BGP4MP_ET", async () => {
  expect(await read(bgp4mp(announcement, { microseconds: 10_749 }))).toEqual([
    { ...announced, timestamp: "2016-08-11T16:00:00.010749" },
  ]);
});

test("ignores bits beyond a prefix' length", async () => {
  const bytes = bgp4mp(update({ withdrawn: Buffer.from([13, 11, 13]) }));
  expect(await read(bytes)).toEqual([{ ...withdrawn, prefix: "11.8.0.0/13" }]);
});

test("reads communities, large ones once, and sets", async () => {
  const large = Buffer.concat([u32(64_496), u32(1), u32(2)]);
  const attributes = [
    origin,
    attribute(2, segments(4, [2, 64_496], [1, 64_500, 64_501])),
    nextHop,
    attribute(8, Buffer.from([0xfb, 0xf0, 0, 1])),
    attribute(32, Buffer.concat([large, large])),
  ];
  expect(await read(bgp4mp(update({ attributes, announced: prefix24 })))).toEqual([
    { ...announced, path: [64_496, [64_500, 64_501]], communities: "[[64496,1],[64496,1,2]]" },
  ]);
});

describe("merges AS4_PATH by RFC 6793", () => {
  const as4Path = (...numbers: number[]): Buffer => attribute(17, segments(4, [2, ...numbers]));
  const short = attribute(2, segments(2, [2, 64_496, 64_497, 23_456]));
  const aggregator = (as: number): Buffer => attribute(7, Buffer.from([as >> 8, as & 0xff, 192, 0, 2, 9]));
  const as4Aggregator = attribute(18, Buffer.concat([u32(65_550), Buffer.from([192, 0, 2, 9])]));

  test.each([
    ["keeps the leading numbers that AS4_PATH lacks", [short, as4Path(65_550)], [64_496, 64_497, 65_550]],
    ["takes a whole AS4_PATH", [short, as4Path(64_496, 64_497, 65_550)], [64_496, 64_497, 65_550]],
    ["ignores a longer AS4_PATH", [short, as4Path(1, 2, 3, 4)], [64_496, 64_497, 23_456]],
    [
      "ignores AS4_PATH beside an aggregator of two octets",
      [short, aggregator(64_497), as4Path(65_550), as4Aggregator],
      [64_496, 64_497, 23_456],
    ],
    [
      "uses AS4_PATH beside an aggregator of four octets",
      [short, aggregator(23_456), as4Path(65_550), as4Aggregator],
      [64_496, 64_497, 65_550],
    ],
  ])("%s", async (_, attributes, path) => {
    const bytes = bgp4mp(update({ attributes: [origin, ...attributes, nextHop], announced: prefix24 }), { subtype: 1 });
    expect(await read(bytes)).toEqual([{ ...announced, path }]);
  });

  test("ignores AS4_PATH of a router with numbers of four octets", async () => {
    const attributes = [origin, asPath(64_496), as4Path(65_550), nextHop];
    expect(await read(bgp4mp(update({ attributes, announced: prefix24 })))).toEqual([{ ...announced, path: [64_496] }]);
  });
});

test.each([
  ["a community of three bytes", [origin, asPath(64_496), nextHop, attribute(8, Buffer.from([1, 2, 3]))]],
  ["a large community of four bytes", [origin, asPath(64_496), nextHop, attribute(32, Buffer.from([1, 2, 3, 4]))]],
  ["an unknown origin", [attribute(1, Buffer.from([3])), asPath(64_496), nextHop]],
  ["a path that ends early", [origin, attribute(2, Buffer.from([2, 2, 0, 0, 0, 1])), nextHop]],
  ["an empty segment", [origin, attribute(2, Buffer.from([2, 0])), nextHop]],
  ["an unknown segment", [origin, attribute(2, segments(4, [5, 64_496])), nextHop]],
  ["a next hop of five bytes", [origin, asPath(64_496), attribute(3, Buffer.alloc(5))]],
  ["no path", [origin, nextHop]],
  ["no origin", [asPath(64_496), nextHop]],
  ["no next hop", [origin, asPath(64_496)]],
  ["an attribute beyond the end", [origin, asPath(64_496), nextHop, Buffer.from([0xc0, 8, 200, 1])]],
])("treats an announcement as a withdrawal for %s", async (_, attributes) => {
  expect(await read(bgp4mp(update({ attributes, announced: prefix24 })))).toEqual([withdrawn]);
});

test("counts an OPEN without addresses, as Zebra wrote it", async () => {
  const bare = (type: number): Buffer =>
    record(16, 1, Buffer.concat([Buffer.alloc(4), message(type, Buffer.alloc(10))]));
  expect(await read(Buffer.concat([bare(1), bare(2)]))).toEqual(["OPEN", "the address family of the peer is unknown"]);
});

test("counts what is no update, by kind", async () => {
  const bytes = Buffer.concat([
    bgp4mp(message(4, Buffer.alloc(0))),
    bgp4mp(message(1, Buffer.alloc(10))),
    bgp4mp(message(3, Buffer.alloc(2))),
    bgp4mp(message(5, Buffer.alloc(4))),
    bgp4mp(Buffer.from([0, 6, 0, 1]), { subtype: 5 }),
    bgp4mp(update({})),
    bgp4mp(update({ attributes: [unreach6(Buffer.alloc(0))] })),
    bgp4mp(update({ attributes: [attribute(15, Buffer.from([0, 1, 128, 1, 2, 3]))] })),
    record(11, 0, Buffer.alloc(4)),
  ]);
  expect(await read(bytes)).toEqual([
    "KEEPALIVE",
    "OPEN",
    "NOTIFICATION",
    "ROUTE-REFRESH",
    "STATE",
    "End-of-RIB",
    "End-of-RIB",
    "other address family",
    "MRT type 11",
  ]);
});

test("names the sender of a local message, the collector", async () => {
  expect(await read(bgp4mp(announcement, { subtype: 7 }))).toEqual([{ ...announced, peerAsn: 64_511 }]);
});

test("reads updates of the deprecated type BGP", async () => {
  const header = Buffer.from([0xfb, 0xf0, 192, 0, 2, 1, 0xfb, 0xff, 192, 0, 2, 254]);
  const content = update({
    attributes: [origin, attribute(2, segments(2, [2, 64_496, 64_500])), nextHop],
    announced: prefix24,
  });
  const bytes = Buffer.concat([
    record(5, 1, Buffer.concat([header, content.subarray(19)])),
    record(5, 3, Buffer.alloc(12)),
    record(5, 7, Buffer.alloc(12)),
  ]);
  expect(isMrt(bytes)).toBe(true);
  expect(await read(bytes)).toEqual([announced, "STATE", "other BGP record"]);
});

test("withdraws a prefix with several paths only with its last path", async () => {
  const withId = (id: number): Buffer => Buffer.concat([u32(id), prefix24]);
  const announce = (id: number): Buffer =>
    bgp4mp(update({ attributes: [origin, asPath(64_496, 64_500), nextHop], announced: withId(id) }), { subtype: 9 });
  const withdraw = (id: number): Buffer => bgp4mp(update({ withdrawn: withId(id) }), { subtype: 9 });
  const bytes = Buffer.concat([announce(1), announce(2), withdraw(1), withdraw(2), withdraw(3)]);
  expect(await read(bytes)).toEqual([announced, announced, "withdrawal of one of several paths", withdrawn, withdrawn]);
});

test.each([
  [6, "withdrawal of one of several paths"],
  [1, withdrawn],
])("counts the paths of a prefix anew after a session that is in state %i", async (state, answer) => {
  const withId = (id: number): Buffer => Buffer.concat([u32(id), prefix24]);
  const bytes = Buffer.concat([
    ...[1, 2].map((id) =>
      bgp4mp(update({ attributes: [origin, asPath(64_496, 64_500), nextHop], announced: withId(id) }), { subtype: 9 }),
    ),
    bgp4mp(Buffer.from([0, 6, 0, state]), { subtype: 5 }),
    bgp4mp(update({ withdrawn: withId(1) }), { subtype: 9 }),
  ]);
  expect(await read(bytes)).toEqual([announced, announced, "STATE", answer]);
});

test("refuses a path with confederation segments, and keeps the withdrawals of the message", async () => {
  const attributes = [origin, attribute(2, segments(4, [3, 64_512], [2, 64_496])), nextHop];
  expect(await read(bgp4mp(update({ withdrawn: prefix24, attributes, announced: prefix24 })))).toEqual([
    withdrawn,
    "the path holds confederation segments",
  ]);
});

test("keeps valid prefixes before invalid bytes", async () => {
  const bytes = bgp4mp(update({ withdrawn: Buffer.concat([prefix24, Buffer.from([200])]) }));
  expect(await read(bytes)).toEqual([withdrawn, "the BGP UPDATE ends inside a prefix"]);
});

test.each([
  ["a file that ends inside a record", bgp4mp(announcement).subarray(0, 40), "it ends inside record 1 at byte 0"],
  [
    "a file that ends inside a later record",
    Buffer.concat([bgp4mp(announcement), bgp4mp(announcement).subarray(0, 40)]),
    `download it again, or load the records before: head -c ${bgp4mp(announcement).length} UNPACKED | npm run load -- -`,
  ],
  ["a file that ends inside a header", Buffer.concat([bgp4mp(announcement), Buffer.alloc(5)]), "inside record 2"],
  ["another type of record", Buffer.concat([bgp4mp(announcement), record(999, 1, u32(1))]), "the file is damaged"],
  ["a routing table", record(13, 1, Buffer.alloc(8)), "--as-announcements"],
  ["an old routing table", record(12, 1, Buffer.alloc(8)), "old type TABLE_DUMP"],
])("rejects %s", async (_, bytes, message) => {
  await expect(read(bytes)).rejects.toThrow(message);
});

describe("a routing table with --as-announcements", () => {
  const peers = record(
    13,
    1,
    Buffer.concat([
      Buffer.from([192, 0, 2, 9, 0, 0, 0, 2]),
      // One peer with IPv4 and 2 octets, one with IPv6 and 4.
      Buffer.from([0, 1, 1, 1, 1, 192, 0, 2, 1, 0xfb, 0xf0]),
      Buffer.from([3, 1, 1, 1, 2]),
      Buffer.alloc(16, 1),
      u32(65_550),
    ]),
  );
  const entry = (peer: number, attributes: readonly Buffer[]): Buffer => {
    const all = Buffer.concat(attributes);
    return Buffer.concat([Buffer.from([0, peer]), u32(1), Buffer.from([all.length >> 8, all.length & 0xff]), all]);
  };
  const route = (...entries: readonly Buffer[]): Buffer =>
    record(13, 2, Buffer.concat([u32(0), prefix24, Buffer.from([0, entries.length]), ...entries]));

  test("gives each route at the time of the table", async () => {
    const attributes = [origin, asPath(64_496, 64_500)];
    const bytes = Buffer.concat([peers, route(entry(0, attributes), entry(1, attributes))]);
    expect(await read(bytes, { asAnnouncements: true })).toEqual([
      "index of peers",
      announced,
      { ...announced, peerAsn: 65_550 },
    ]);
  });

  test("refuses a route of an unknown peer and a damaged route", async () => {
    const bytes = Buffer.concat([peers, route(entry(7, [origin])), record(13, 2, Buffer.from([0, 0, 0, 0, 99, 1, 1]))]);
    expect(await read(bytes, { asAnnouncements: true })).toEqual([
      "index of peers",
      "the route names a peer that the index lacks",
      "the route of the routing table is damaged",
    ]);
  });
});

const sample = Buffer.concat([
  bgp4mp(announcement),
  bgp4mp(update({ attributes: [origin, asPath(64_496), reach6(prefix48)] }), { microseconds: 5 }),
  bgp4mp(message(4, Buffer.alloc(0))),
  bgp4mp(update({ withdrawn: prefix24 }), { subtype: 1 }),
]);

test("gives the same records however the bytes are split", async () => {
  const expected = await read(sample);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: sample.length }), async (size) => {
      expect(await read(sample, { size })).toEqual(expected);
    }),
  );
});

test("never fails for changed bytes but with the reason why the file is broken", async () => {
  const change = fc.tuple(fc.nat({ max: sample.length - 1 }), fc.nat({ max: 255 }));
  let broken = 0;
  let whole = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 6 }), async (changes) => {
      const bytes = Buffer.from(sample);
      for (const [at, value] of changes) bytes[at] = value;
      try {
        await read(bytes, { asAnnouncements: true });
        whole += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(BrokenInput);
        broken += 1;
      }
    }),
    { numRuns: 2000 },
  );
  expect(broken).toBeGreaterThan(10);
  expect(whole).toBeGreaterThan(10);
});
