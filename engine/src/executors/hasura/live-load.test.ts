import { expect, test } from "vitest";
import { readOperation } from "../../execution/document/document.ts";
import { KnownDocument } from "./documents.ts";
import { LiveLoad } from "./live-load.ts";

const document = () => new KnownDocument(readOperation("subscription { a }", undefined), "");

test("a client's live queries keep at most an eighth of the connections busy", () => {
  const load = new LiveLoad(16);
  const own = Array.from({ length: 4 }, document);
  // 1,000 ms of each 2,000: half a connection.
  expect(own.map((each) => load.enter(each, "one", 1_000))).toEqual([true, true, true, true]);
  expect(load.enter(document(), "one", 1_000)).toBe(false);
  expect(load.enter(document(), "other", 1_000)).toBe(true);
  load.leave(own[0]!);
  expect(load.enter(document(), "one", 1_000)).toBe(true);
});

test("all clients together keep at most a quarter busy", () => {
  const load = new LiveLoad(16);
  const entered = Array.from({ length: 20 }, (_item, index) => load.enter(document(), `client ${index}`, 1_000));
  expect(entered.filter(Boolean)).toHaveLength(8);
});

test("subscribers of one document count once, until the last has left", () => {
  const load = new LiveLoad(4);
  const [shared, other] = [document(), document()];
  expect([load.enter(shared, "one", 1_000), load.enter(shared, "two", 1_000)]).toEqual([true, true]);
  expect(load.enter(other, "one", 1_000)).toBe(false);
  load.leave(shared);
  expect(load.enter(other, "one", 1_000)).toBe(false);
  load.leave(shared);
  expect(load.enter(other, "one", 1_000)).toBe(true);
});

test("a document becomes slow for a client after two slow runs, and for no other client", () => {
  const known = document();
  expect(known.paceFor("one", 1)).toBe("unknown");
  known.ran("one", 5, 1);
  expect(known.paceFor("two", 1)).toBe("quick");
  known.ran("two", 3_000, 1);
  expect(known.paceFor("two", 1)).toBe("quick");
  known.ran("two", 3_000, 1);
  expect([known.paceFor("one", 1), known.paceFor("two", 1)]).toEqual(["quick", "slow"]);
  known.ran("two", 5, 1);
  expect(known.paceFor("two", 1)).toBe("quick");
});

test("a document is slow for answers that may have many rows, until as many came quickly", () => {
  const known = document();
  expect([known.paceFor("one", 20_000), known.paceFor("one", 20_001)]).toEqual(["unknown", "slow"]);
  known.ran("one", 10, 1);
  expect([known.paceFor("one", 1), known.paceFor("one", 50_000)]).toEqual(["quick", "slow"]);
  known.ran("one", 10, 50_000);
  expect([known.paceFor("two", 50_000), known.paceFor("two", 50_001)]).toEqual(["quick", "slow"]);
});
