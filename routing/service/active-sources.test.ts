import { expect, test } from "vitest";
import { ActiveSources } from "./active-sources.ts";

test("of two replicas the feed of the first source by name decides, in any order of sources", () => {
  const [one, other] = [new ActiveSources(["ris-live", "exabgp-own"]), new ActiveSources(["exabgp-own", "ris-live"])];
  one.set("ris-live", true);
  other.set("exabgp-own", true);
  expect([one.decides, other.decides]).toEqual([false, true]);
  other.set("exabgp-own", false);
  expect(other.decides).toBe(false);
});
