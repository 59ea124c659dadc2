import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Episode,
  Episodes,
  enoughWithdrawn,
  type Finding,
  halvesOf,
  type Message,
  supernetOf,
} from "./episodes.ts";

const finding: Finding = {
  type: "E|0|-|-",
  hijacker: 100,
  rule: "rule 1",
  infected: [],
  configuredPrefix: "10.0.0.0/24",
  configuredAt: 0,
  annotate: (current) => current,
};

const message = (time: number, peer: number | null, prefix = "10.0.0.0/24"): Message => ({
  key: `${time}-${peer}`,
  time,
  prefix,
  peer,
  type: "A",
  path: [peer ?? 1, 100],
});

/** What a test compares. */
const shown = ({ peers, started, last, ended }: Episode) => ({
  seen: [...peers.keys()].toSorted((a, b) => a - b),
  withdrawn: [...peers]
    .flatMap(([peer, { withdrawn }]) => (withdrawn === null ? [] : [peer]))
    .toSorted((a, b) => a - b),
  started,
  last,
  ended,
});

describe("an episode", () => {
  test("is withdrawn at 80 % of its monitors, rounded", () => {
    const least = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((seen) => {
      let withdrawn = 0;
      while (!enoughWithdrawn(withdrawn, seen)) withdrawn += 1;
      return withdrawn;
    });
    expect(least).toEqual([1, 2, 2, 3, 4, 5, 6, 6, 7, 8]);
  });

  test("ends with the withdrawal that completes it, and a later announcement begins another", () => {
    const life = new Episodes();
    const first = life.announce(message(1, 8), finding);
    life.announce(message(2, 9), finding);
    life.withdraw(message(3, 8));
    expect(shown(first)).toEqual({ seen: [8, 9], withdrawn: [8], started: 1, last: 3, ended: null });
    expect(life.withdraw(message(4, 9))).toEqual([first]);
    expect(shown(first)).toMatchObject({ withdrawn: [8, 9], last: 4, ended: 4 });
    expect(life.withdraw(message(5, 9))).toEqual([]);
    const second = life.announce(message(6, 9), finding);
    expect(second.key).not.toBe(first.key);
    expect(second.key).toMatch(/^[0-9a-f]{32}$/);
    expect(shown(second)).toEqual({ seen: [9], withdrawn: [], started: 6, last: 6, ended: null });
  });

  test("has the key of its first update in each run", () => {
    const [one, other] = [new Episodes(), new Episodes()].map((life) => life.announce(message(1, 8), finding).key);
    expect(one).toBe(other);
    expect(new Episodes().announce(message(2, 8), finding).key).not.toBe(one);
  });

  test("loses a withdrawn monitor that announces it again", () => {
    const life = new Episodes();
    const episode = life.announce(message(1, 8), finding);
    life.announce(message(1, 9), finding);
    life.withdraw(message(3, 8));
    life.announce(message(2, 8), finding); // out of order
    expect(shown(episode).withdrawn).toEqual([8]);
    life.announce(message(4, 8), finding);
    expect(shown(episode)).toMatchObject({ withdrawn: [], last: 4 });
  });

  test("links an older withdrawal, but does not count it", () => {
    const life = new Episodes();
    const episode = life.announce(message(5, 8), finding);
    expect(life.withdraw(message(4, 8))).toEqual([episode]);
    expect(shown(episode)).toMatchObject({ withdrawn: [], last: 5, ended: null });
    expect(life.withdraw(message(4, 9))).toEqual([]);
  });

  test("ends by correct announcements of its prefix, or of the prefixes one bit longer", () => {
    const life = new Episodes();
    const exact = life.announce(message(1, 8), finding);
    life.replace(message(2, 9));
    expect(exact.ended).toBeNull();
    life.replace(message(3, 8));
    expect(exact.ended).toBe(3);
    const wide = life.announce(message(4, 8), finding);
    life.announce(message(4, 9), finding);
    life.replace(message(5, 8, "10.0.0.0/26"));
    expect(shown(wide).withdrawn).toEqual([]);
    life.replace(message(6, 8, "10.0.0.0/25"));
    life.replace(message(7, 9, "10.0.0.128/25"));
    expect(shown(wide)).toMatchObject({ withdrawn: [8, 9], ended: 7 });
  });

  test("ends for the announced prefix alone, if that one is hijacked too", () => {
    const life = new Episodes();
    const wide = life.announce(message(1, 8), finding);
    const narrow = life.announce(message(1, 8, "10.0.0.0/25"), { ...finding, type: "S|0|-|-" });
    life.replace(message(2, 8, "10.0.0.0/25"));
    expect([wide.ended, narrow.ended]).toEqual([null, 2]);
  });

  test("stays apart from other types and hijackers of its prefix, and a withdrawal counts for all", () => {
    const life = new Episodes();
    const episodes = [
      life.announce(message(1, 8), finding),
      life.announce(message(2, 8), { ...finding, hijacker: 101 }),
      life.announce(message(3, 8), { ...finding, type: "E|1|-|-" }),
    ];
    expect(new Set(episodes).size).toBe(3);
    expect(life.withdraw(message(4, 8))).toEqual(episodes);
    expect(episodes.map(({ ended }) => ended)).toEqual([4, 4, 4]);
  });

  test("without a known monitor never ends by itself", () => {
    const life = new Episodes();
    const episode = life.announce(message(1, null), finding);
    life.withdraw(message(2, null));
    life.replace(message(3, null));
    expect(shown(episode)).toEqual({ seen: [], withdrawn: [], started: 1, last: 1, ended: null });
  });

  test("has the first and the last path", () => {
    const life = new Episodes();
    const episode = life.announce(message(5, 8), finding);
    life.announce(message(7, 9), { ...finding, rule: "rule 2" });
    life.announce(message(6, 10), finding);
    life.announce(message(4, 11), finding);
    expect(episode).toMatchObject({ firstPath: [11, 100], lastPath: [9, 100], rule: "rule 2", started: 4 });
  });
});

test("the order of the updates of an open episode does not matter", () => {
  const update = fc.record({ time: fc.nat(20), peer: fc.nat(3), withdraws: fc.boolean() });
  fc.assert(
    fc.property(fc.array(update, { maxLength: 12 }), fc.context(), (updates, context) => {
      const run = (order: typeof updates) => {
        const life = new Episodes();
        // monitors that never withdraw keep it open
        let episode: Episode | undefined;
        for (const peer of [90, 91, 92, 93]) episode = life.announce(message(0, peer), finding);
        for (let peer = 0; peer < 4; peer += 1) life.announce(message(0, peer), finding);
        for (const { time, peer, withdraws } of order)
          if (withdraws) life.withdraw(message(time, peer));
          else life.announce(message(time, peer), finding);
        return { ...shown(episode!), last: 0 };
      };
      const inTime = updates.toSorted((a, b) => a.time - b.time || Number(a.withdraws) - Number(b.withdraws));
      const announcedFirst = updates.toSorted((a, b) => Number(a.withdraws) - Number(b.withdraws));
      context.log(JSON.stringify(inTime));
      expect(run(announcedFirst)).toEqual(run(inTime));
    }),
  );
});

test.each([
  ["10.0.0.0/25", "10.0.0.0/24", ["10.0.0.0/26", "10.0.0.64/26"]],
  ["10.0.1.0/24", "10.0.0.0/23", ["10.0.1.0/25", "10.0.1.128/25"]],
  ["0.0.0.0/0", null, ["0.0.0.0/1", "128.0.0.0/1"]],
  ["192.0.2.1/32", "192.0.2.0/31", []],
  ["2001:db8:0:1::/64", "2001:db8::/63", ["2001:db8:0:1::/65", "2001:db8:0:1:8000::/65"]],
])("%s is a half of %s and has the halves %j", (prefix, supernet, halves) => {
  expect([supernetOf(prefix), halvesOf(prefix)]).toEqual([supernet, halves]);
});
