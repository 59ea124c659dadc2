import { expect, test } from "vitest";
import { communitiesJson } from "./communities.ts";
import { Refusal } from "./refusal.ts";

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
])("%j is refused", (communities) => {
  expect(communitiesJson(communities)).toBeInstanceOf(Refusal);
});
