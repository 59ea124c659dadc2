import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ConfiguredPrefixes } from "./configured-prefixes.ts";
import { inOrder, Judge, type Row } from "./judge.ts";
import { originRule } from "./rules.ts";

const prefix = "10.0.0.0/24";
const half = "10.0.0.0/25";
const configured = new ConfiguredPrefixes([
  { prefix, low: 24, high: 25, order: 0, rule: originRule("own", [1]), configuredAt: 0, organisation: null },
]);

/** @param origin 1 is correct; null: a withdrawal */
const row = (key: string, time: number, peer: number, origin: number | null, announced = prefix): Row => ({
  key,
  time,
  prefix: announced,
  peer,
  type: origin === null ? "W" : "A",
  path: origin === null ? [] : [peer, origin],
  communities: "[]",
  hijackKeys: [],
  handled: false,
  matchedPrefix: null,
});

function judged(...rows: readonly Row[]): Judge {
  const judge = new Judge(configured, { recomputed: new Map(), outdated: new Set() });
  for (const each of rows.toSorted(inOrder)) judge.judge(each);
  judge.settle();
  return judge;
}

/** The records of rows: prefix, start, end and peers. */
function records(...rows: readonly Row[]) {
  return judged(...rows).episodes.changed.map(({ prefix: announced, started, ended, peers }) => ({
    prefix: announced,
    started,
    ended,
    peers: [...peers.keys()].toSorted((a, b) => a - b),
  }));
}

describe("a correct and a hijacked announcement of one monitor at one time", () => {
  const open = { prefix, started: 1, ended: null, peers: [11] };

  test("are one open record, whatever their keys are", () => {
    expect(records(row("a", 1, 11, 1), row("b", 1, 11, 666))).toEqual([open]);
    expect(records(row("b", 1, 11, 1), row("a", 1, 11, 666))).toEqual([open]);
  });

  test("continue the record, as those of an AS set that is announced again", () => {
    const repeated = [1, 2, 3].flatMap((time) => [row(`a${time}`, time, 11, 1), row(`b${time}`, time, 11, 666)]);
    expect(records(...repeated)).toEqual([open]);
    expect(records(...repeated, row("a4", 4, 11, 1))).toEqual([{ ...open, ended: 4 }]);
  });

  test("do not end the record by one of the halves of the prefix", () => {
    for (const [one, other] of ["ab", "ba"])
      expect(records(row(one!, 1, 11, 1, half), row(other!, 1, 11, 666))).toEqual([open]);
  });

  test("end with a withdrawal of that time, or with the correct announcements of others", () => {
    const together = [row("a", 1, 11, 1), row("b", 1, 11, 666)];
    expect(records(...together, row("0", 1, 11, null))).toEqual([{ ...open, ended: 1 }]);
    const others = [12, 13, 14, 15].map((peer) => row(`c${peer}`, 0, peer, 666));
    expect(records(...others, ...together)).toEqual([{ ...open, started: 0, peers: [11, 12, 13, 14, 15] }]);
    const corrected = [12, 13, 14, 15].map((peer) => row(`d${peer}`, 1, peer, 1));
    expect(records(...others, ...together, ...corrected)).toEqual([
      { prefix, started: 0, ended: 1, peers: [11, 12, 13, 14, 15] },
    ]);
  });
});

test("a correct announcement ends one record only, also after another monitor's of that time", () => {
  const peers = [11, 12, 13];
  const hijacks = peers.flatMap((peer) => [row(`a${peer}`, 1, peer, 666), row(`b${peer}`, 1, peer, 666, half)]);
  const correct = peers.map((peer) => row(`c${peer}`, 2, peer, 1, half));
  const judge = judged(...hijacks, ...correct);
  expect(judge.episodes.changed.map(({ prefix: announced, ended, last }) => [announced, ended, last])).toEqual([
    [prefix, null, 1],
    [half, 2, 2],
  ]);
});

test("records do not depend on the keys of rows of one time", () => {
  const update = fc.record({
    time: fc.nat(3),
    peer: fc.integer({ min: 11, max: 13 }),
    origin: fc.constantFrom(1, 666, null),
  });
  fc.assert(
    fc.property(fc.array(update, { maxLength: 12 }), fc.infiniteStream(fc.nat()), (updates, numbers) => {
      const rows = updates.map(({ time, peer, origin }, index) => row(`${index + 100}`, time, peer, origin));
      const renamed = rows.map((each, index) => ({ ...each, key: `${numbers.next().value} ${index}` }));
      expect(records(...renamed)).toEqual(records(...rows));
    }),
  );
});
