import { expect, test } from "vitest";
import { Visibility } from "./visibility.ts";

const prefix = "192.0.2.0/24";
const message = (time: number, type: "A" | "W", peer: number | null) => ({
  key: `${time}`,
  time,
  prefix,
  peer,
  type,
  path: [],
});

test("continues from the states of an earlier run", () => {
  const visibility = new Visibility();
  const peers = new Map([[1, { announced: true, last: 10 }]]);
  visibility.watch(prefix, 2, { count: 2, newest: 12, loss: undefined, peers });
  visibility.add(message(9, "W", 1)); // older than its state
  visibility.add(message(20, "W", null)); // of no known peer
  visibility.add(message(11, "W", 1));
  expect(visibility.losses).toEqual([{ prefix, started: 12, ended: null, minPeers: 2, left: 1 }]);
  visibility.add(message(13, "W", 1));
  visibility.add(message(14, "A", 3));
  expect(visibility.losses).toEqual([{ prefix, started: 12, ended: 14, minPeers: 2, left: 1 }]);
  expect([...visibility.states()]).toEqual([
    { prefix, peer: 1, announced: false, last: 13 },
    { prefix, peer: 3, announced: true, last: 14 },
  ]);
});

test("a loss that returns and comes back within one moment is one", () => {
  const visibility = new Visibility();
  visibility.watch(prefix, 1);
  for (const type of ["A", "W", "A", "W"] as const) visibility.add(message(5, type, 1));
  expect(visibility.losses).toEqual([{ prefix, started: 5, ended: null, minPeers: 1, left: 0 }]);
});

test("a peer that announces and withdraws at one time has withdrawn, also in two runs", () => {
  for (const before of [true, false]) {
    const visibility = new Visibility();
    const peers = new Map([[1, { announced: before, last: 5 }]]);
    visibility.watch(prefix, 1, { count: Number(before), newest: 5, loss: undefined, peers });
    visibility.add(message(5, before ? "W" : "A", 1));
    expect([...visibility.states()].filter(({ announced }) => announced)).toEqual([]);
    visibility.add(message(6, "A", 1));
    expect([...visibility.states()]).toEqual([{ prefix, peer: 1, announced: true, last: 6 }]);
  }
});

test("a stored loss without states of peers ends when it began, at the earliest", () => {
  const visibility = new Visibility();
  const loss = { prefix, started: 20, ended: null, minPeers: 1, left: 0 };
  visibility.watch(prefix, 1, { count: 0, newest: 0, loss, peers: new Map() });
  visibility.add(message(9, "A", 1));
  expect(visibility.losses).toEqual([{ ...loss, ended: 20 }]);
});

test("other prefixes are not watched", () => {
  const visibility = new Visibility();
  visibility.watch("198.51.100.0/24", 1);
  visibility.add(message(1, "A", 1));
  visibility.add(message(2, "W", 1));
  expect([visibility.losses, [...visibility.states()]]).toEqual([[], []]);
});
