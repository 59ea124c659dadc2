import fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "./refusal.ts";
import { communitiesJson, timestampOfEpoch, timestampOfText } from "./update.ts";

test.each([
  ["1470931200", "2016-08-11T16:00:00"],
  ["1445565678.509481", "2015-10-23T02:01:18.509481"],
  ["1445565678.5", "2015-10-23T02:01:18.5"],
  ["1445565678.000001", "2015-10-23T02:01:18.000001"],
])("%s is %s", (epoch, text) => {
  expect(timestampOfEpoch(epoch)).toBe(text);
});

test.each([
  "",
  "0",
  "1",
  "-1470931200",
  "1470931200.",
  "1470931200.1234567",
  "1e9",
  " 1470931200",
  "4102444800",
  "9999999999",
  "14709312000",
  "NaN",
])("rejects the epoch '%s'", (epoch) => {
  expect(timestampOfEpoch(epoch)).toBeUndefined();
});

test.each([
  ["2026-06-16T08:21:48", "2026-06-16T08:21:48"],
  ["2026-06-16T08:21:48Z", "2026-06-16T08:21:48"],
  ["2026-06-16T08:21:48.000019Z", "2026-06-16T08:21:48.000019"],
  ["2024-02-29T23:59:59", "2024-02-29T23:59:59"],
])("%s is %s", (text, timestamp) => {
  expect(timestampOfText(text)).toBe(timestamp);
});

test.each([
  "",
  "2026-06-16",
  "2026-06-16 08:21:48",
  "2026-02-30T00:00:00",
  "2026-13-01T00:00:00",
  "2026-06-16T24:00:00",
  "2026-06-16T08:21:60",
  "2026-06-16T08:21:48+02:00",
  "1989-12-31T23:59:59",
  "2100-01-01T00:00:00",
  "2026-06-16T08:21:48.1234567",
])("rejects the text '%s'", (text) => {
  expect(timestampOfText(text)).toBeUndefined();
});

test("keeps every microsecond of the served years digit for digit", () => {
  const seconds = fc.integer({ min: Date.UTC(1990) / 1000, max: Date.UTC(2100) / 1000 - 1 });
  const decimals = fc.integer({ min: 0, max: 999_999 }).map((value) => String(value).padStart(6, "0"));
  fc.assert(
    fc.property(seconds, decimals, (seconds, decimals) => {
      const timestamp = timestampOfEpoch(`${seconds}.${decimals}`);
      expect(timestamp?.endsWith(`.${decimals}`)).toBe(true);
      expect(Date.parse(`${timestamp?.slice(0, 19)}Z`) / 1000).toBe(seconds);
      expect(timestampOfText(timestamp ?? "")).toBe(timestamp);
    }),
  );
});

test.each([
  [[], "[]"],
  [["6453:2000", "8283:1"], "[[6453,2000],[8283,1]]"],
  [["64496:1:2"], "[[64496,1,2]]"],
  [["no-export", "local-AS", "blackhole"], "[[65535,65281],[65535,65283],[65535,666]]"],
  [["rt:64496:100"], '[["rt",64496,100]]'],
  [["4294967295:4294967295:0"], "[[4294967295,4294967295,0]]"],
])("%j becomes %s", (communities, json) => {
  expect(communitiesJson(communities)).toBe(json);
  expect(JSON.parse(json)).toHaveLength(communities.length);
});

test.each([
  [["64496"]],
  [["64496:"]],
  [["a b:1"]],
  [['"":1']],
  [["1:2\n"]],
  [["\\:1"]],
  [[1]],
  [[null]],
  [["unknown-name"]],
  [["constructor"]],
])("%j is refused", (communities) => {
  expect(communitiesJson(communities)).toBeInstanceOf(Refusal);
});
