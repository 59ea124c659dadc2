import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { createGunzip } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { dataSets, realData, realDataAbsent } from "./support/data/data.ts";
import { data } from "./support/clients/graphql.ts";

interface Counts {
  readonly A: { readonly aggregate: { readonly count: number } };
  readonly W: { readonly aggregate: { readonly count: number } };
}

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

  describe.each(dataSets)("of $year", ({ period: [from, to], records }) => {
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
