import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Member } from "./support/accounts.ts";
import { command } from "./support/commands.ts";
import { dataSets, realData, realDataAbsent } from "./support/data.ts";
import { detectAll } from "./support/detection.ts";
import { data } from "./support/graphql.ts";

interface TimelineRow {
  readonly prefix: string;
  readonly start_time: string;
  readonly last_announcement: string;
}

interface Counts {
  readonly A: { readonly aggregate: { readonly count: number } };
  readonly W: { readonly aggregate: { readonly count: number } };
}

const hijacker = 18_101;
/** The hijacker's upstream that the timeline follows. */
const followedUpstream = 15_412;

/** Runs only with the data of SOURCES.md. */
describe("Real data", () => {
  let operator: Member;

  beforeAll(async () => {
    if (realDataAbsent !== undefined) return;
    for (const dataSet of dataSets) await dataSet.load();
    operator = await Member.join("operator");
  }, 600_000);

  beforeEach((context) => {
    if (realDataAbsent !== undefined) context.skip(realDataAbsent);
  });

  describe.each(dataSets)("of $year", ({ file, period: [from, to], records }) => {
    async function counts(): Promise<{ A: number; W: number }> {
      const where = (type: string): string =>
        `where: {type: {_eq: "${type}"}, timestamp: {_gte: "${from}", _lte: "${to}"}}`;
      const answer = await data<Counts>(
        `{ A: view_bgpupdates_aggregate(${where("A")}) { aggregate { count } } W: view_bgpupdates_aggregate(${where("W")}) { aggregate { count } } }`,
        await operator.caller(),
      );
      return { A: answer.A.aggregate.count, W: answer.W.aggregate.count };
    }

    test("the rows by type are as many as SOURCES.md counts", async () => {
      expect(await counts()).toEqual(records);
    });

    test("loading the same file again changes nothing and reports that", async () => {
      const before = await counts();
      const printed = await command("load", file);
      expect(printed).toMatch(/loaded\s+0$/m);
      expect(printed).toMatch(
        new RegExp(String.raw`duplicates\s+${(records.A + records.W).toLocaleString("en-US")}$`, "m"),
      );
      expect(await counts()).toEqual(before);
    });

    test("withdrawals have origin -1 and an empty path, announcements neither", async () => {
      const period = `timestamp: {_gte: "${from}", _lte: "${to}"}`;
      const answer = await data<{ wrong: Counts["A"]; empty: Counts["A"] }>(
        `{ wrong: view_bgpupdates_aggregate(where: {${period}, type: {_eq: "W"}, _or: [{origin_as: {_neq: "-1"}}, {as_path: {_neq: []}}]}) { aggregate { count } }
           empty: view_bgpupdates_aggregate(where: {${period}, type: {_eq: "A"}, _or: [{origin_as: {_eq: "-1"}}, {as_path: {_eq: []}}]}) { aggregate { count } } }`,
        await operator.caller(),
      );
      expect(answer).toEqual({ wrong: { aggregate: { count: 0 } }, empty: { aggregate: { count: 0 } } });
    });
  });

  test("the first record of 2016 is served with every field of the file", async () => {
    const expected = await first2016();
    const answer = await data<{ view_bgpupdates: unknown[] }>(
      `{ view_bgpupdates(where: {prefix: {_eq: "${expected.prefix}"}, peer_asn: {_eq: "${expected.peer_asn}"}, timestamp: {_eq: "${expected.timestamp}"}}) {
           prefix peer_asn timestamp type as_path origin_as communities } }`,
      await operator.caller(),
    );
    expect(answer.view_bgpupdates).toContainEqual(expected);
  });

  test("a record of 2026 has its whole path and its collector", async () => {
    const answer = await data<{ view_bgpupdates: { as_path: number[]; service: string }[] }>(
      '{ view_bgpupdates(where: {prefix: {_eq: "91.108.56.0/23"}, timestamp: {_eq: "2026-06-16T16:14:28"}, origin_as: {_eq: "18101"}}) { as_path service } }',
      await operator.caller(),
    );
    expect(answer.view_bgpupdates).toHaveLength(1);
    expect(answer.view_bgpupdates[0]?.as_path).toEqual([142_289, 9583, 4755, 18_101, 18_101, 18_101, 18_101]);
    expect(answer.view_bgpupdates[0]?.service).toMatch(/^ripe-ris\|rrc\d\d$/);
  });

  describe("the hijack of 2026-06-16 by AS18101", () => {
    let timeline: TimelineRow[];

    beforeAll(async () => {
      if (realDataAbsent !== undefined) return;
      timeline = JSON.parse(await readFile(realData.timeline2026, "utf8")) as TimelineRow[];
    });

    async function found(
      prefix: string,
    ): Promise<{ started: string | undefined; first: string | undefined; last: string | undefined; types: string[] }> {
      const announcements = `prefix: {_eq: "${prefix}"}, origin_as: {_eq: "${hijacker}"}, type: {_eq: "A"}, as_path: {_contains: ["${followedUpstream}"]}, hijack_links: {hijack: {hijack_as: {_eq: "${hijacker}"}}}`;
      const answer = await data<{
        view_hijacks: { time_started: string; type: string }[];
        first: { timestamp: string }[];
        last: { timestamp: string }[];
      }>(
        `{ view_hijacks(where: {prefix: {_eq: "${prefix}"}, hijack_as: {_eq: "${hijacker}"}}) { time_started type }
           first: view_bgpupdates(where: {${announcements}}, order_by: {timestamp: asc}, limit: 1) { timestamp }
           last: view_bgpupdates(where: {${announcements}}, order_by: {timestamp: desc}, limit: 1) { timestamp } }`,
        await operator.caller(),
      );
      return {
        started: answer.view_hijacks.map(({ time_started: started }) => started).toSorted()[0],
        first: answer.first[0]?.timestamp,
        last: answer.last[0]?.timestamp,
        types: answer.view_hijacks.map(({ type }) => type),
      };
    }

    test("34 of the timeline's 35 prefixes have a hijack by AS18101", async () => {
      const missing: string[] = [];
      for (const { prefix } of timeline) if ((await found(prefix)).started === undefined) missing.push(prefix);
      expect(timeline).toHaveLength(35);
      expect(missing).toEqual(["2a0a:f280::/48"]);
      const answer = await data<{ view_bgpupdates: { origin_as: number }[] }>(
        '{ view_bgpupdates(distinct_on: origin_as, order_by: {origin_as: asc}, where: {prefix: {_eq: "2a0a:f280::/48"}, type: {_eq: "A"}}) { origin_as } }',
        await operator.caller(),
      );
      expect(answer.view_bgpupdates).toEqual([{ origin_as: 45_820 }]);
    });

    test("each hijack is of the exact prefix or of a sub-prefix, in the original's type names", async () => {
      const types = new Set<string>();
      for (const { prefix } of timeline) for (const type of (await found(prefix)).types) types.add(type);
      expect([...types].toSorted()).toEqual(["E|0|-|-", "S|0|-|-"]);
    });

    test("the start matches the timeline for all 34 by its upstream", async () => {
      const otherwise: [string, string | undefined][] = [];
      for (const row of timeline.filter(({ prefix }) => prefix !== "2a0a:f280::/48")) {
        const { started, first } = await found(row.prefix);
        expect(first, row.prefix).toBe(row.start_time);
        if (started !== row.start_time) otherwise.push([row.prefix, started]);
      }
      expect(otherwise).toEqual([["91.108.56.0/23", "2026-06-16T16:14:28"]]);
    });

    test("the last announcement matches the timeline for 31 by its upstream", async () => {
      const otherwise: Record<string, string | undefined> = {};
      for (const row of timeline.filter(({ prefix }) => prefix !== "2a0a:f280::/48")) {
        const { last } = await found(row.prefix);
        if (last !== row.last_announcement) otherwise[row.prefix] = last;
      }
      expect(otherwise).toEqual({
        "2001:b28:f23c::/48": "2026-06-16T20:39:11",
        "2a0a:f280::/32": "2026-06-16T20:43:35",
        "91.108.56.0/22": "2026-06-16T21:12:44",
      });
    });

    test("every linked update belongs to that prefix and names the hijack", async () => {
      const answer = await data<{
        view_hijacks: {
          key: string;
          prefix: string;
          update_links: { update: { prefix: string; hijack_key: string[] } }[];
        }[];
      }>(
        `{ view_hijacks(where: {hijack_as: {_eq: "${hijacker}"}}) { key prefix update_links { update { prefix hijack_key } } } }`,
        await operator.caller(),
      );
      expect(answer.view_hijacks.length).toBeGreaterThanOrEqual(34);
      for (const { key, prefix, update_links: links } of answer.view_hijacks) {
        expect(links.length, prefix).toBeGreaterThan(0);
        for (const { update } of links) {
          expect(update.prefix).toBe(prefix);
          expect(update.hijack_key).toContain(key);
        }
      }
    });

    test("detect again updates and never duplicates", async () => {
      const query =
        "{ view_hijacks(order_by: {key: asc}) { key time_detected update_links_aggregate { aggregate { count } } } }";
      const before = await data<{ view_hijacks: unknown[] }>(query, await operator.caller());
      await detectAll();
      expect(before.view_hijacks.length).toBeGreaterThanOrEqual(34);
      expect(await data<unknown>(query, await operator.caller())).toEqual(before);
    });
  });

  /** The first line of the 2016 file, parsed here without the loader. */
  async function first2016(): Promise<
    Record<string, unknown> & { prefix: string; peer_asn: number; timestamp: string }
  > {
    const lines = createInterface(createReadStream(realData.bgp2016).pipe(createGunzip()));
    for await (const line of lines) {
      const [, epoch, type, , peer, prefix, path, , , , , communities] = line.split("|");
      const asPath = (path as string).split(" ").map(Number);
      return {
        prefix: prefix as string,
        peer_asn: Number(peer),
        timestamp: new Date(Number(epoch) * 1000).toISOString().slice(0, 19),
        type,
        as_path: asPath,
        origin_as: asPath.at(-1),
        communities: (communities as string).split(" ").map((pair) => pair.split(":").map(Number)),
      };
    }
    throw new Error("the file of 2016 is empty");
  }
});
