import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { configuration } from "./incident-configuration.ts";
import { commandsOn, rowsOf, sharedData, sharedDataAbsent } from "./support.ts";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

interface TimelineRow {
  readonly prefix: string;
  readonly start_time: string;
  readonly last_announcement: string;
}

/** The upstream of the hijacker that the timeline follows; the other upstream is AS4755. */
const FOLLOWED_UPSTREAM = 15_412;

describe("the real data of SOURCES.md", () => {
  let database: StartedDatabaseContainer;

  beforeAll(async () => {
    if (sharedDataAbsent !== undefined) return;
    database = await startDatabase();
  });

  afterAll(async () => {
    if (sharedDataAbsent === undefined) await database.stop();
  });

  beforeEach((context) => {
    if (sharedDataAbsent !== undefined) context.skip(sharedDataAbsent);
  });

  test.each([
    ["bgp/updates.20160811.1600.bgpdump.gz", "2016-08-11", { A: 39_256, W: 1956 }],
    // 51,329 announcements, 38 of them with a set of several members.
    ["bgp/updates.20070211.0141.mrt.gz", "2007-02-11", { A: 51_407, W: 2328 }],
    ["bgp/telegram-20260616.ripestat.tar.gz", "2026-06-16", { A: 22_461, W: 827 }],
  ])("loading %s gives SOURCES.md's rows by type, and a second load adds none", async (file, from, counts) => {
    const { load } = commandsOn(database);
    const count = `select type, count(*)::integer from view_bgpupdates where "timestamp" between $1 and $1::timestamp + interval '2 days' group by type order by type`;
    const expected = Object.entries(counts).map(([type, count]) => ({ type, count }));
    const first = await load(sharedData(file));
    // Progress lines end with the elapsed seconds.
    expect(first.stderr.split("\n").filter((line) => line !== "" && !/, \d+ s$/.test(line))).toEqual([]);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/duplicates +0\n +refused +0\n/) as string });
    expect(await rowsOf(database, "engine", count, [from])).toEqual(expected);
    expect((await load(sharedData(file))).stdout).toMatch(/loaded +0\n/);
    expect(await rowsOf(database, "engine", count, [from])).toEqual(expected);
  });

  describe("detection on the hijack of 2026-06-16 by AS18101", () => {
    let compared: {
      prefix: string;
      record: boolean;
      start: boolean;
      last: boolean;
      followedStart: boolean;
      followedLast: boolean;
    }[];

    beforeAll(async () => {
      if (sharedDataAbsent !== undefined) return;
      const { load, detect } = commandsOn(database);
      const folder = await mkdtemp(join(tmpdir(), "routeql-incident-"));
      await writeFile(join(folder, "incident.yaml"), configuration);
      await load(sharedData("bgp/telegram-20260616.ripestat.tar.gz"));
      expect(await detect(join(folder, "incident.yaml"))).toMatchObject({ code: 0, stderr: "" });
      await rm(folder, { recursive: true });
      const timeline = JSON.parse(
        await readFile(sharedData("hijacks/telegram-20260616.timeline.json"), "utf8"),
      ) as TimelineRow[];
      compared = (await rowsOf(
        database,
        "engine",
        `select t.prefix, h.keys is not null as record, coalesce(h.first = t.start_time, false) as start,
           coalesce(t.last_announcement = any (h.last), false) as last,
           coalesce(followed.first = t.start_time, false) as "followedStart", coalesce(followed.last = t.last_announcement, false) as "followedLast"
         from json_to_recordset($1) as t (prefix text, start_time timestamp, last_announcement timestamp)
         left join lateral (
           select array_agg(key) as keys, min(time_started) as first, array_agg(
             (select max("timestamp") from view_bgpupdates_hijacks where hijack_key = key and type = 'A')) as last
           from view_hijacks where prefix = t.prefix::inet and hijack_as = 18101
         ) h on true
         left join lateral (
           select min("timestamp") as first, max("timestamp") as last from view_bgpupdates_hijacks
           where hijack_key = any (h.keys) and type = 'A' and $2::bigint = any (as_path)
         ) followed on true order by t.prefix::inet`,
        [JSON.stringify(timeline), FOLLOWED_UPSTREAM],
      )) as typeof compared;
    });

    const prefixesWhere = (condition: (row: (typeof compared)[number]) => boolean): string[] =>
      compared.filter(condition).map(({ prefix }) => prefix);

    test("34 of the timeline's 35 prefixes have records of AS18101", async () => {
      expect(compared).toHaveLength(35);
      expect(prefixesWhere(({ record }) => !record)).toEqual(["2a0a:f280::/48"]);
      expect(
        await rowsOf(
          database,
          "engine",
          "select hijack_as, type, time_started from view_hijacks where prefix = '2a0a:f280::/48'",
        ),
      ).toEqual([{ hijack_as: 45_820, type: "E|0|-|-", time_started: "2026-06-16T18:32:53" }]);
    });

    test("33 prefixes start at the timeline's time, one starts earlier by another upstream", async () => {
      expect(prefixesWhere(({ record, start }) => record && !start)).toEqual(["91.108.56.0/23"]);
      expect(prefixesWhere(({ record, followedStart }) => record && !followedStart)).toEqual([]);
    });

    test("20 prefixes match in the first announcement and in the last one of a record", () => {
      expect(prefixesWhere(({ start, last }) => start && last)).toHaveLength(20);
    });

    test("12 more match with only the timeline's upstream", () => {
      const others = prefixesWhere(
        ({ start, last, followedStart, followedLast }) => !(start && last) && followedStart && followedLast,
      );
      expect(others).toEqual([
        "91.108.4.0/22",
        "91.108.8.0/22",
        "91.108.16.0/22",
        "91.108.56.0/23",
        "95.161.64.0/20",
        "149.154.160.0/22",
        "149.154.160.0/23",
        "149.154.162.0/23",
        "149.154.164.0/22",
        "149.154.164.0/23",
        "149.154.166.0/23",
        "149.154.168.0/22",
      ]);
    });

    test("two prefixes have later announcements by that upstream", async () => {
      const neither = prefixesWhere(
        ({ record, start, last, followedLast }) => record && !(start && last) && !followedLast,
      );
      expect(neither).toEqual(["91.108.56.0/22", "2001:b28:f23c::/48"]);
      const records =
        "select time_started, time_last, withdrawn from view_hijacks where prefix = any ($1::inet[]) and hijack_as = 18101 order by time_started";
      expect(await rowsOf(database, "engine", records, [neither])).toEqual([
        { time_started: "2026-06-16T07:18:30", time_last: "2026-06-16T20:34:30", withdrawn: true },
        { time_started: "2026-06-16T16:32:43", time_last: "2026-06-16T20:39:11", withdrawn: true },
        { time_started: "2026-06-16T21:12:41", time_last: "2026-06-16T21:12:45", withdrawn: false },
      ]);
    });

    test("a record ends when 80 percent of its monitors lost it; a later announcement begins another", async () => {
      const records = `select count(*)::integer as all,
          count(*) filter (where withdrawn and time_ended = time_last and cardinality(peers_withdrawn) = round(0.8 * num_peers_seen))::integer as ended,
          count(*) filter (where active and cardinality(peers_withdrawn) < round(0.8 * num_peers_seen))::integer as active
        from view_hijacks where hijack_as = 18101`;
      expect(await rowsOf(database, "engine", records)).toEqual([{ all: 61, ended: 60, active: 1 }]);
    });

    test("all 989 hijack announcements of SOURCES.md are linked", async () => {
      const query = `select count(*)::integer from view_bgpupdates u
        where type = 'A' and exists (select from view_hijacks h where h.key = any (u.hijack_key) and h.hijack_as = 18101)`;
      expect(await rowsOf(database, "engine", query)).toEqual([{ count: 989 }]);
    });
  });
});
