import { expect, test } from "vitest";
import { timestampOfNumber } from "./live-message.ts";
import { prefixOf } from "./prefix.ts";
import { parseRisLive, type RisLiveMessage } from "./ris-live.ts";

const data = {
  timestamp: 1_781_598_108.37,
  peer: "2001:db8::1",
  peer_asn: "64496",
  id: "00-2001:db8::1-1",
  host: "rrc00.ripe.net",
  type: "UPDATE",
  path: [64_496, 64_500],
  community: [[64_496, 100]],
  origin: "IGP",
  announcements: [{ next_hop: "192.0.2.1", prefixes: ["198.51.100.0/24"] }],
  withdrawals: [] as unknown,
};

const message = (change: object = {}): RisLiveMessage =>
  parseRisLive(JSON.stringify({ type: "ris_message", data: { ...data, ...change } }));
const parsed = (change?: object): unknown => (message(change) as { parsed: unknown }).parsed;

const row = {
  timestamp: "2026-06-16T08:21:48.370",
  prefix: "198.51.100.0/24",
  peerAsn: 64_496,
  monitor: null,
  type: "A",
  path: [64_496, 64_500],
  communities: "[[64496,100]]",
  service: "ripe-ris|rrc00",
};

test("reads an announcement; both forms of the host are one collector", () => {
  expect(message()).toEqual({ id: "00-2001:db8::1-1", parsed: [row] });
  expect(message({ host: "rrc00" })).toEqual(message());
});

test("one prefix under two next hops is one update", () => {
  const announcements = ["2001:db8::1", "fe80::1"].map((next_hop) => ({
    next_hop,
    prefixes: ["2001:db8:1:0:0:0:0:0/48"],
  }));
  expect(parsed({ announcements })).toEqual([{ ...row, prefix: "2001:db8:1::/48" }]);
});

test("one prefix in two spellings is one update", () => {
  const announcements = [{ next_hop: "2001:db8::1", prefixes: ["2001:db8:1:0:0:0:0:0/48", "2001:db8:1::/48"] }];
  expect(parsed({ announcements })).toHaveLength(1);
});

test("keeps an AS set of one member, and of several", () => {
  expect(parsed({ path: [64_496, [64_500]] })).toEqual([{ ...row, path: [64_496, [64_500]] }]);
  expect(parsed({ path: [64_496, [64_500, 64_501]] })).toEqual([{ ...row, path: [64_496, [64_500, 64_501]] }]);
});

test("the pseudo-prefix eor is the end of a table", () => {
  const eor = { skipped: "End-of-RIB" };
  expect(parsed({ announcements: [], withdrawals: ["eor"] })).toEqual([eor]);
  expect(parsed({ announcements: [{ next_hop: "192.0.2.1", prefixes: ["eor"] }] })).toEqual([eor]);
});

test("reads withdrawals first; attributes may be absent", () => {
  const { path, community, announcements, ...rest } = data;
  expect([path, community, announcements]).toHaveLength(3);
  const text = JSON.stringify({ type: "ris_message", data: { ...rest, withdrawals: ["203.0.113.0/24"] } });
  const withdrawal = { ...row, prefix: "203.0.113.0/24", type: "W", path: [], communities: "[]" };
  expect(parseRisLive(text)).toMatchObject({ parsed: [withdrawal] });
  expect(parsed({ withdrawals: ["203.0.113.0/24"] })).toEqual([withdrawal, row]);
});

test.each(["OPEN", "NOTIFICATION", "KEEPALIVE"])("counts a message of type %s", (type) => {
  expect(parsed({ type })).toEqual([{ skipped: type }]);
});

test("counts a state of a peer", () => {
  expect(parsed({ type: "RIS_PEER_STATE", state: "down" })).toEqual([{ skipped: "STATE" }]);
});

test("reads errors and answers of the server", () => {
  expect(parseRisLive('{"type":"ris_error","data":{"message":"too slow"}}')).toEqual({ error: "too slow" });
  const long = JSON.stringify({ type: "ris_error", data: { message: `a\u001b${"b".repeat(1000)}` } });
  expect(parseRisLive(long)).toEqual({ error: `a\\u{1b}${"b".repeat(198)}…` });
  expect(parseRisLive('{"type":"pong","data":null}')).toEqual({ answer: "pong" });
});

test.each([
  ["{", "not a message of RIS Live"],
  ["[]", "not a message of RIS Live"],
  ['{"type":"ris_message","data":{"type":"NEW"}}', "not a message of RIS Live"],
  ['{"type":"ris_message"}', "not a message of RIS Live"],
])("refuses %s", (text, reason) => {
  expect(parseRisLive(text)).toMatchObject({ parsed: [{ reason }] });
});

test.each([
  [{ timestamp: "1781598108" }, "the time is not understood"],
  [{ host: 7 }, "the collector is not understood"],
  [{ peer_asn: "AS64496" }, "the peer's AS number is not understood"],
  [{ announcements: [{ next_hop: "192.0.2.1", prefixes: ["198.51.100.0"] }] }, "the prefix is not understood"],
  [{ announcements: [7] }, "the prefix is not understood"],
  [{ path: ["x"] }, "the path is not a list of AS numbers and AS sets"],
  [{ community: [[1]] }, "a community is not understood"],
])("refuses the update %j", (change, reason) => {
  expect(parsed(change)).toEqual([expect.objectContaining({ reason })]);
});

test("a type of no message is refused", () => {
  expect(parsed({ type: "constructor" })).toEqual([expect.objectContaining({ reason: "not a message of RIS Live" })]);
});

test("messages without an id differ by their content", () => {
  const ids = [{ id: undefined }, { id: undefined }, { id: undefined, peer: "2001:db8::2" }].map(
    (change) => (message(change) as { id: string }).id,
  );
  expect(ids[0]).toBe(ids[1]);
  expect(ids[0]).not.toBe(ids[2]);
});

test.each([
  [1_781_598_108.37, 3, "2026-06-16T08:21:48.370"],
  [1_781_598_108, 3, "2026-06-16T08:21:48.001"],
  [1_781_598_108.5, 6, "2026-06-16T08:21:48.500001"],
  [1_781_598_108.123456, 6, "2026-06-16T08:21:48.123456"],
  [Number.NaN, 3, undefined],
  [-1, 3, undefined],
] as const)("the time %d with %d digits is %s", (value, digits, text) => {
  expect(timestampOfNumber(value, digits)).toBe(text);
});

test.each([
  ["2001:db8:0:0:0:0:0:0/48", "2001:db8::/48"],
  ["2001:DB8::/32", "2001:db8::/32"],
  ["192.0.2.0/24", "192.0.2.0/24"],
  ["192.0.2.0", undefined],
  [7, undefined],
])("the prefix %s is %s", (value, text) => {
  expect(prefixOf(value)).toBe(text);
});

test("refuses an object as the AS number of a peer", () => {
  for (const peer_asn of [{ toString: 1 }, [64_496], null, true])
    expect(parsed({ peer_asn })).toMatchObject([{ reason: "the peer's AS number is not understood" }]);
});

test.each(["RIS_PEER_STATE", "STATE"])("counts the state of a session, %s", (type) => {
  expect(parsed({ type, state: "connected" })).toEqual([{ skipped: "STATE" }]);
});
