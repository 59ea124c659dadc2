import fc from "fast-check";
import { expect, test } from "vitest";
import { parseBgpdumpLine } from "./bgpdump.ts";
import { Refusal } from "./refusal.ts";

const service = "example|north";
const announcement =
  "BGP4MP|1470931200|A|192.0.2.1|64496|198.51.100.0/24|64496 64497 64500|IGP|192.0.2.1|0|0|64496:200 64496:240|NAG||";

test("reads an announcement", () => {
  expect(parseBgpdumpLine(announcement, service)).toEqual({
    timestamp: "2016-08-11T16:00:00",
    prefix: "198.51.100.0/24",
    peerAsn: 64_496,
    monitor: null,
    type: "A",
    path: [64_496, 64_497, 64_500],
    communities: "[[64496,200],[64496,240]]",
    service,
  });
});

test("reads a withdrawal without path and with its microseconds", () => {
  expect(parseBgpdumpLine("BGP4MP_ET|1445565711.010749|W|2001:db8::1|65536|2001:db8:1::/48", service)).toMatchObject({
    timestamp: "2015-10-23T02:01:51.010749",
    prefix: "2001:db8:1::/48",
    type: "W",
    path: [],
    communities: "[]",
  });
});

test("reads an announcement with an empty path and no communities", () => {
  const line = "BGP4MP_ET|1445565706.844149|A|192.0.2.1|64496|198.51.100.0/24||IGP|192.0.2.4|100|0||NAG||";
  expect(parseBgpdumpLine(line, service)).toMatchObject({ type: "A", path: [], communities: "[]" });
});

test("skips a state change and names it", () => {
  expect(parseBgpdumpLine("BGP4MP|1470931201|STATE|192.0.2.1|64496|6|1", service)).toEqual({ skipped: "STATE" });
});

test.each([
  ["not a line", "not a line of bgpdump"],
  ["", "not a line of bgpdump"],
  ["|||||", "not a line of bgpdump"],
  ["BGP4MP", "not a line of bgpdump"],
  ["BGP4MP|1470931200|X|192.0.2.1|64496|198.51.100.0/24", "not a line of bgpdump"],
  ["TABLE_DUMP2|1470931200|B|192.0.2.1|64496|198.51.100.0/24|64496|IGP|192.0.2.1|0|0||NAG||", "routing table"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496", "too few fields"],
  ["BGP4MP|1470931200|A|192.0.2.1|64496|198.51.100.0/24|64496 64497", "too few fields"],
  ["BGP4MP|yesterday|W|192.0.2.1|64496|198.51.100.0/24", "time"],
  ["BGP4MP|1470931200.1234567|W|192.0.2.1|64496|198.51.100.0/24", "time"],
  ["BGP4MP|1470931200|W|192.0.2.1|AS64496|198.51.100.0/24", "peer"],
  ["BGP4MP|1470931200|W|192.0.2.1|4294967296|198.51.100.0/24", "peer"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0", "prefix"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0/33", "prefix"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|2001:db8::/129", "prefix"],
  [announcement.replace("64497", "64 497 x"), "path"],
  [announcement.replace("64497", "(64512)"), "confederation"],
  [announcement.replace("64496:200", "64496"), "community"],
  [announcement.replace("64496:200", String.raw`64496:\N`), "community"],
])("'%s' is refused", (line, reason) => {
  expect(parseBgpdumpLine(line, service)).toMatchObject({ reason: expect.stringContaining(reason) as string });
});

test("never throws, and accepts nothing that COPY would have to escape", () => {
  const right = announcement.split("|");
  const other = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(...right, "BGP4MP_ET", "W", "{1,2}", "\\N", "\t"),
  );
  // Random lines are hardly ever valid; a valid line with one or two changed fields often is.
  const nearlyRight = fc
    .array(fc.tuple(fc.nat({ max: right.length - 1 }), other), { maxLength: 2 })
    .map((changes) => changes.reduce((fields, [place, text]) => fields.with(place, text), right));
  let taken = 0;
  fc.assert(
    fc.property(fc.oneof(nearlyRight, fc.array(other, { maxLength: 16 })), (fields) => {
      const parsed = parseBgpdumpLine(fields.join("|"), service);
      if (parsed instanceof Refusal || "skipped" in parsed) return;
      taken += 1;
      expect([parsed.timestamp, parsed.prefix, parsed.communities].join("")).not.toMatch(/[\\\t\n\r]/);
    }),
    { numRuns: 2000 },
  );
  expect(taken).toBeGreaterThan(100);
});
