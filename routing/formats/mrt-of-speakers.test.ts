import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  asPath,
  bgp4mp,
  nextHop,
  origin,
  prefix24,
  prefix48,
  reach6,
  record,
  u32,
  unreach6,
  update,
} from "../testing/mrt-encoder.ts";
import { mrtUpdates } from "./mrt.ts";
import { Refusal } from "./refusal.ts";

/** Kinds and prefixes of updates, others by their reason. */
async function read(bytes: Buffer): Promise<string[]> {
  const found: string[] = [];
  const source = (async function* () {
    yield bytes;
  })();
  for await (const batch of mrtUpdates(source, { service: "example|north", asAnnouncements: false }))
    for (const { parsed } of batch)
      found.push(
        parsed instanceof Refusal
          ? parsed.reason
          : "skipped" in parsed
            ? parsed.skipped
            : `${parsed.type} ${parsed.prefix}`,
      );
  return found;
}

const withId = (id: number, prefix: Buffer): Buffer => Buffer.concat([u32(id), prefix]);
const announce = (announced: Buffer, subtype = 4): Buffer =>
  bgp4mp(update({ attributes: [origin, asPath(64_496), nextHop], announced }), { subtype });

/** A prefix with a length between two, and any bits beyond its length. */
const prefixOf = (min: number, max: number): fc.Arbitrary<Buffer> =>
  fc.integer({ min, max }).chain((length) => {
    const size = (length + 7) >> 3;
    return fc.uint8Array({ minLength: size, maxLength: size }).map((bytes) => Buffer.from([length, ...bytes]));
  });

/** BIRD before 2.0 and collectors of RouteViews write messages with path identifiers under the plain subtypes. */
describe("finds path identifiers that the subtype does not announce", () => {
  test.each([0, 1, 2, 7, 255, 256, 65_536, 4_294_967_295])("identifier %i", async (id) => {
    expect(await read(announce(withId(id, prefix24)))).toEqual(["A 198.51.100.0/24"]);
    expect(await read(bgp4mp(update({ withdrawn: withId(id, prefix24) })))).toEqual(["W 198.51.100.0/24"]);
    const six = update({ attributes: [origin, asPath(64_496), reach6(withId(id, prefix48))] });
    expect(await read(bgp4mp(six))).toEqual(["A 2001:db8:1::/48"]);
    expect(await read(bgp4mp(update({ attributes: [unreach6(withId(id, prefix48))] })))).toEqual(["W 2001:db8:1::/48"]);
  });

  test("identifiers below 65,536 of any prefixes", async () => {
    const paths = fc.array(
      fc.tuple(
        fc.nat(65_535),
        fc.constantFrom(8, 16, 24, 32).chain((length) => prefixOf(length, length)),
      ),
      { minLength: 1 },
    );
    await fc.assert(
      fc.asyncProperty(paths, async (all) => {
        const found = await read(announce(Buffer.concat(all.map(([id, prefix]) => withId(id, prefix)))));
        expect(found.map((text) => Number(text.split("/")[1]))).toEqual(all.map(([, [length]]) => length));
      }),
    );
  });

  test("the withdrawal of one of several paths is none of the prefix", async () => {
    const bytes = Buffer.concat([
      announce(withId(1, prefix24)),
      announce(withId(2, prefix24)),
      bgp4mp(update({ withdrawn: withId(1, prefix24) })),
      bgp4mp(update({ withdrawn: withId(2, prefix24) })),
    ]);
    expect(await read(bytes)).toEqual([
      "A 198.51.100.0/24",
      "A 198.51.100.0/24",
      "withdrawal of one of several paths",
      "W 198.51.100.0/24",
    ]);
  });

  test("a default route stays one", async () => {
    expect(await read(announce(Buffer.from([0])))).toEqual(["A 0.0.0.0/0"]);
    expect(await read(announce(Buffer.concat([Buffer.from([0]), prefix24])))).toEqual([
      "A 0.0.0.0/0",
      "A 198.51.100.0/24",
    ]);
  });

  test("a damaged prefix stays one", async () => {
    expect(await read(announce(Buffer.from([24, 198, 51])))).toEqual(["the BGP UPDATE ends inside a prefix"]);
    expect(await read(announce(Buffer.concat([prefix24, Buffer.from([40, 1, 1, 1, 1, 1])])))).toEqual([
      "A 198.51.100.0/24",
      "the BGP UPDATE ends inside a prefix",
    ]);
  });
});

const plain = (...bytes: readonly number[]): Buffer => Buffer.from(bytes);
const slash24 = (last: number): Buffer => plain(24, 198, 51, last);

/** Prefixes of four bytes can be read as path identifiers of the next ones. */
describe("reads ordinary prefixes with bits beyond their length", () => {
  test.each([
    ["two prefixes", [plain(22, 10, 1, 1), slash24(100)], ["10.1.0.0/22", "198.51.100.0/24"]],
    [
      "four prefixes",
      [plain(22, 10, 1, 1), slash24(100), slash24(101), slash24(102)],
      ["10.1.0.0/22", "198.51.100.0/24", "198.51.101.0/24", "198.51.102.0/24"],
    ],
    [
      "a default route and an odd number",
      [plain(0), plain(22, 10, 1, 1), slash24(1)],
      ["0.0.0.0/0", "10.1.0.0/22", "198.51.1.0/24"],
    ],
  ])("%s", async (_, prefixes, expected) => {
    expect(await read(announce(Buffer.concat(prefixes)))).toEqual(expected.map((each) => `A ${each}`));
    expect(await read(bgp4mp(update({ withdrawn: Buffer.concat(prefixes) })))).toEqual(
      expected.map((each) => `W ${each}`),
    );
  });

  test("two IPv6 prefixes", async () => {
    const both = Buffer.concat([plain(20, 0x20, 0x01, 0x1f), plain(20, 0x2a, 0x00, 0x10)]);
    const six = update({ attributes: [origin, asPath(64_496), reach6(both)] });
    expect(await read(bgp4mp(six))).toEqual(["A 2001:1000::/20", "A 2a00:1000::/20"]);
  });

  test("any list without a second default route", async () => {
    const lists = fc
      .constantFrom([1, 32], [17, 24])
      .chain(([min, max]) => fc.array(prefixOf(min, max), { minLength: 1 }));
    await fc.assert(
      fc.asyncProperty(lists, async (prefixes) => {
        const found = await read(announce(Buffer.concat(prefixes)));
        expect(found.map((text) => Number(text.split("/")[1]))).toEqual(prefixes.map(([length]) => length));
      }),
    );
  });
});

describe("under an ADD-PATH subtype", () => {
  const [two, four] = [
    [100, 101],
    [100, 101, 102, 103],
  ].map((last) => Buffer.concat(last.map(slash24))) as [Buffer, Buffer];
  const rows = (...last: readonly number[]): string[] => last.map((each) => `A 198.51.${each}.0/24`);

  test("reads plain prefixes of a family without path identifiers", async () => {
    expect(await read(announce(prefix24, 9))).toEqual(["A 198.51.100.0/24"]);
    const bytes = Buffer.concat([announce(prefix24, 9), announce(two, 9), announce(four, 9)]);
    expect(await read(bytes)).toEqual(rows(100, 100, 101, 100, 101, 102, 103));
  });

  test("reads path identifiers that could be prefixes", async () => {
    expect(await read(announce(two, 9))).toEqual(rows(101));
    expect(await read(announce(four, 9))).toEqual(rows(101, 103));
  });

  test("reads path identifiers again after a record that only they fit, and after the session", async () => {
    const identified = announce(withId(1, prefix24), 9);
    const again = Buffer.concat([announce(prefix24, 9), identified, announce(two, 9)]);
    expect(await read(again)).toEqual(rows(100, 100, 101));
    const down = bgp4mp(plain(0, 6, 0, 1), { subtype: 5 });
    expect(await read(Buffer.concat([announce(prefix24, 9), down, announce(two, 9)]))).toEqual([
      ...rows(100),
      "STATE",
      ...rows(101),
    ]);
  });
});

test("knows the paths of a session whose messages also have prefixes without identifiers", async () => {
  const mixed = (id: number): Buffer =>
    bgp4mp(
      update({ attributes: [origin, asPath(64_496), nextHop, reach6(withId(id, prefix48))], announced: prefix24 }),
    );
  const withdrawal = bgp4mp(update({ attributes: [unreach6(withId(1, prefix48))] }));
  expect(await read(Buffer.concat([mixed(1), mixed(2), withdrawal]))).toEqual([
    ...Array.from({ length: 2 }, () => ["A 198.51.100.0/24", "A 2001:db8:1::/48"]).flat(),
    "withdrawal of one of several paths",
  ]);
});

test("finds no path identifiers in the old type BGP, which is older than they", async () => {
  const content = update({ withdrawn: withId(4_294_967_295, prefix24) }).subarray(19);
  const old = record(5, 1, Buffer.concat([plain(0xfb, 0xf0, 192, 0, 2, 1, 0xfb, 0xff, 192, 0, 2, 254), content]));
  expect(await read(old)).toEqual(["the BGP UPDATE ends inside a prefix"]);
});

test.each([2, 3])("names a routing table of OpenBGPD's table-mp, subtype %i", async (subtype) => {
  await expect(read(record(16, subtype, Buffer.alloc(40)))).rejects.toThrow("old type BGP4MP_ENTRY");
});

test("reads the records before a damaged one first, so that a routing table is named as such", async () => {
  const bytes = Buffer.concat([record(12, 1, Buffer.alloc(22)), Buffer.alloc(12, 0x77)]);
  await expect(read(bytes)).rejects.toThrow("old type TABLE_DUMP");
});
