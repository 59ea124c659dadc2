import fc from "fast-check";
import { expect, test } from "vitest";
import { bgpdumpRecords, parseBgpdumpLine } from "./bgpdump.ts";
import { lines } from "./lines.ts";
import { PathIdentifiers } from "./path-identifiers.ts";
import type { ByteSource } from "./records.ts";
import { Refusal } from "./refusal.ts";
import { parseRipestatUpdate } from "./ripestat.ts";

async function* inChunks(text: string, size: number): ByteSource {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function all(source: ByteSource): Promise<string[]> {
  const batches: string[] = [];
  for await (const batch of lines(source)) batches.push(...batch.lines);
  return batches;
}

test("gives the same lines however the bytes are split", async () => {
  const text = fc.array(fc.constantFrom("a", "|", "\n", "\r\n", "é"), { maxLength: 60 }).map((parts) => parts.join(""));
  await fc.assert(
    fc.asyncProperty(text, fc.integer({ min: 1, max: 70 }), async (text, size) => {
      const expected = text.split("\n").map((line) => line.replace(/\r$/, ""));
      if (text === "" || text.endsWith("\n")) expected.pop();
      expect(await all(inChunks(text, size))).toEqual(expected);
    }),
  );
});

test("drops and reports a line of megabytes and keeps the lines around it", async () => {
  const text = `first\n${"x".repeat(3_000_000)}\nlast`;
  expect(await all(inChunks(text, 65_536))).toEqual(["first", "[line of more than 1048576 characters]", "last"]);
  expect(await all(inChunks("x".repeat(3_000_000), 65_536))).toEqual(["[line of more than 1048576 characters]"]);
});

const attrs = {
  source_id: "25-192.0.2.1",
  target_prefix: "198.51.100.0/24",
  path: [64_496, 64_500],
  community: ["64496:1"],
};
const announcement = { seq: 1, timestamp: "2026-06-16T08:21:48", type: "A", attrs };

test("reads an announcement; its monitor is the first AS of its path", () => {
  expect(parseRipestatUpdate(announcement)).toEqual({
    timestamp: "2026-06-16T08:21:48",
    prefix: "198.51.100.0/24",
    peerAsn: 64_496,
    monitor: "25-192.0.2.1",
    type: "A",
    path: [64_496, 64_500],
    communities: "[[64496,1]]",
    service: "ripe-ris|rrc25",
  });
});

test.each([
  [1_781_598_108, "2026-06-16T08:21:48"],
  [1_781_598_108.25, "2026-06-16T08:21:48.25"],
  ["1781598108", "2026-06-16T08:21:48"],
])("reads the time %s, which the parameter unix_timestamps gives", (timestamp, text) => {
  expect(parseRipestatUpdate({ ...announcement, timestamp })).toMatchObject({ timestamp: text });
});

test("identifies the monitor of a withdrawal by address only", () => {
  const { source_id, target_prefix } = attrs;
  const withdrawal = { ...announcement, type: "W", attrs: { source_id, target_prefix } };
  expect(parseRipestatUpdate(withdrawal)).toMatchObject({
    type: "W",
    peerAsn: null,
    monitor: "25-192.0.2.1",
    path: [],
    communities: "[]",
  });
});

test("does not identify the monitor by a path that begins with a set", () => {
  expect(parseRipestatUpdate({ ...announcement, attrs: { ...attrs, path: [[64_496, 64_497], 64_500] } })).toMatchObject(
    { peerAsn: null },
  );
});

test.each([
  ["no object", 1, "not an update"],
  ["null", null, "not an update"],
  ["a list", [], "not an update"],
  ["no attrs", { ...announcement, attrs: undefined }, "not an update"],
  ["another type", { ...announcement, type: "S" }, "not an update"],
  ["no time", { ...announcement, timestamp: undefined }, "time"],
  ["a time of milliseconds", { ...announcement, timestamp: 1_781_598_108_000 }, "time"],
  ["a time with an offset", { ...announcement, timestamp: "2026-06-16T08:21:48+02:00" }, "time"],
  ["no source", { ...announcement, attrs: { ...attrs, source_id: undefined } }, "source_id"],
  ["another source", { ...announcement, attrs: { ...attrs, source_id: "rrc25" } }, "source_id"],
  ["a source with a tab", { ...announcement, attrs: { ...attrs, source_id: "25-192.0.2.1\t" } }, "source_id"],
  ["no prefix", { ...announcement, attrs: { ...attrs, target_prefix: null } }, "prefix"],
  ["no path", { ...announcement, attrs: { ...attrs, path: undefined } }, "path"],
  ["a path of text", { ...announcement, attrs: { ...attrs, path: "64496 64500" } }, "path"],
  ["communities of text", { ...announcement, attrs: { ...attrs, community: "64496:1" } }, "not an update"],
  ["a broken community", { ...announcement, attrs: { ...attrs, community: ["64496"] } }, "community"],
])("%s is refused", (_, value, reason) => {
  expect(parseRipestatUpdate(value)).toMatchObject({ reason: expect.stringContaining(reason) as string });
});

test("never throws for any JSON", () => {
  // Random JSON is hardly ever a valid path or list of communities.
  const path = fc.oneof(fc.jsonValue(), fc.constant(attrs.path));
  const community = fc.oneof(fc.jsonValue(), fc.constant(attrs.community));
  let taken = 0;
  fc.assert(
    fc.property(fc.jsonValue(), path, community, (value, otherPath, otherCommunity) => {
      parseRipestatUpdate(value);
      const parsed = parseRipestatUpdate({
        ...announcement,
        attrs: { ...attrs, path: otherPath, community: otherCommunity },
      });
      if (parsed instanceof Refusal) return;
      taken += 1;
      expect(parsed.prefix).toBe(attrs.target_prefix);
    }),
  );
  expect(taken).toBeGreaterThan(0);
});

const service = "example|north";
const bgpdumpLine =
  "BGP4MP|1470931200|A|192.0.2.1|64496|198.51.100.0/24|64496 64497 64500|IGP|192.0.2.1|0|0|64496:200 64496:240|NAG||";

test("reads an announcement", () => {
  expect(parseBgpdumpLine(bgpdumpLine, service)).toEqual({
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

const [kind, time, ...fields] = bgpdumpLine.split("|");
const largeCommunities = fields.toSpliced(10, 0, "64496:1:2 64496:3:4");

test.each([
  ...["BGP", "BGP4MP", "BGP4MP_ET", "BGP4MP_LOCAL", "BGP4MP_ET_LOCAL"].map(
    (name) => [name, [name, time, ...fields]] as const,
  ),
  ...["BGP4MP_AP", "BGP4MP_ET_AP", "BGP4MP_LOCAL_AP", "BGP4MP_ET_LOCAL_AP"].map(
    (name) => [name, [name, time, ...fields.toSpliced(4, 0, "7")]] as const,
  ),
  ["BGP without communities", ["BGP", time, ...fields.with(9, "64496:200 64496:240")]],
  ["option -p", [kind, "12", time, ...fields]],
  ["options -p and -u", [kind, "12", time, ...fields, "63:c0:0001"]],
] as const)("reads an announcement of the form %s", (_, line) => {
  expect(parseBgpdumpLine(line.join("|"), service)).toEqual(parseBgpdumpLine(bgpdumpLine, service));
});

test("reads large communities, which option -l writes into a field of their own", () => {
  expect(parseBgpdumpLine([kind, time, ...largeCommunities].join("|"), service)).toMatchObject({
    communities: "[[64496,200],[64496,240],[64496,1,2],[64496,3,4]]",
  });
});

test("withdraws a prefix with several paths only with its last path", () => {
  const identifiers = new PathIdentifiers();
  const parse = (line: string) => parseBgpdumpLine(line, service, identifiers);
  const withdrawal = (id: number): string => `BGP4MP_AP|1470931201|W|192.0.2.1|64496|198.51.100.0/24|${id}`;
  for (const id of ["1", "2"]) parse(["BGP4MP_AP", time, ...fields.toSpliced(4, 0, id)].join("|"));
  expect(parse(withdrawal(1))).toEqual({ skipped: "withdrawal of one of several paths" });
  expect(parse(withdrawal(2))).toMatchObject({ type: "W", prefix: "198.51.100.0/24" });
  for (const id of ["1", "2"]) parse(["BGP4MP_AP", time, ...fields.toSpliced(4, 0, id)].join("|"));
  expect(parse("BGP4MP|1470931201|STATE|192.0.2.1|64496|6|1")).toEqual({ skipped: "STATE" });
  expect(parse(withdrawal(1))).toMatchObject({ type: "W", prefix: "198.51.100.0/24" });
});

test("rejects a file whose last line ends early", async () => {
  const read = async (text: string): Promise<void> => {
    for await (const batch of bgpdumpRecords(inChunks(text, 100), service)) expect(batch).toBeDefined();
  };
  await read(bgpdumpLine);
  await expect(read(`${bgpdumpLine}\n${bgpdumpLine.slice(0, 60)}`)).rejects.toThrow("it ends inside line 2");
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
  ["BGP4MP|08/11/16 16:00:00|A|192.0.2.1|64496|198.51.100.0/24|64496|IGP", "use bgpdump -m"],
  ["BGP4MP_AP|1470931200|W|192.0.2.1|64496|198.51.100.0/24", "path identifier"],
  ["BGP4MP_XX|1470931200|W|192.0.2.1|64496|198.51.100.0/24", "not a line of bgpdump"],
  ["BGP|945188493|W|192.0.2.1|64496|192.0.2.1/21", "the peer's address in place of the withdrawn prefix"],
  ["BGP4MP|yesterday|W|192.0.2.1|64496|198.51.100.0/24", "time"],
  ["BGP4MP|1470931200.1234567|W|192.0.2.1|64496|198.51.100.0/24", "time"],
  ["BGP4MP|1470931200|W|192.0.2.1|AS64496|198.51.100.0/24", "peer"],
  ["BGP4MP|1470931200|W|192.0.2.1|4294967296|198.51.100.0/24", "peer"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0", "prefix"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|198.51.100.0/33", "prefix"],
  ["BGP4MP|1470931200|W|192.0.2.1|64496|2001:db8::/129", "prefix"],
  [bgpdumpLine.replace("64497", "64 497 x"), "path"],
  [bgpdumpLine.replace("64497", "(64512)"), "confederation"],
  [bgpdumpLine.replace("64496:200", "64496"), "community"],
  [bgpdumpLine.replace("64496:200", String.raw`64496:\N`), "community"],
])("'%s' is refused", (line, reason) => {
  expect(parseBgpdumpLine(line, service)).toMatchObject({ reason: expect.stringContaining(reason) as string });
});

test("never throws, and accepts nothing that COPY would have to escape", () => {
  const right = bgpdumpLine.split("|");
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
