import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readConfiguration } from "@routeql/routing/judging/configuration/read-configuration";
import { versionIfStored } from "@routeql/routing/judging/detect";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { type CommandResult, commandsOn, rowsOf, type Run } from "./support.ts";

const start = Math.floor(Date.now() / 1000) - 3600;

/** A line of bgpdump with a time in seconds after one hour ago. */
function announce(second: number, prefix: string, path: number[]): string {
  return `BGP4MP|${start + second}|A|192.0.2.1|${path[0]}|${prefix}|${path.join(" ")}|IGP|192.0.2.1|0|0||NAG||`;
}

function withdraw(second: number, prefix: string, peer: number): string {
  return `BGP4MP|${start + second}|W|192.0.2.1|${peer}|${prefix}`;
}

function time(second: number): string {
  return new Date((start + second) * 1000).toISOString().slice(0, 19);
}

/** A node of a plan that was executed. */
interface PlanNode {
  readonly "Relation Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}

/** Number of updates that the nodes of a plan returned. */
function rowsRead(node: PlanNode): number {
  const own =
    node["Relation Name"]?.startsWith("bgp_updates") === true ? node["Actual Rows"] * node["Actual Loops"] : 0;
  return (node.Plans ?? []).reduce((sum, below) => sum + rowsRead(below), own);
}

describe("detect", () => {
  let database: StartedDatabaseContainer;
  let load: Run;
  let detect: Run;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-detect-"));
    database = await startDatabase();
    ({ load, detect } = commandsOn(database));
  });

  afterAll(async () => {
    await database.stop();
    await rm(folder, { recursive: true });
  });

  beforeEach(clear);

  async function clear(): Promise<void> {
    await using owner = await database.connect("owner");
    await owner.query(
      "truncate routing.bgp_updates, routing.hijacks, routing.configured_prefixes, routing.detection, routing.judged_prefixes, routing.visibility_losses cascade",
    );
  }

  async function loadLines(...lines: string[]): Promise<void> {
    await writeFile(join(folder, "updates"), lines.join("\n"));
    expect(await load(join(folder, "updates"))).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/refused +0\n/) as string,
    });
  }

  async function detectWith(prefixes: Record<string, number[]>, ...options: string[]): Promise<CommandResult> {
    const entries = Object.entries(prefixes).map(([prefix, origins]) => ({ prefix, origins, organisation: "example" }));
    await writeFile(join(folder, "configuration.yaml"), JSON.stringify({ prefixes: entries }));
    const result = await detect(...options, join(folder, "configuration.yaml"));
    expect(result).toMatchObject({ code: 0, stderr: "" });
    return result;
  }

  const ask = (query: string): Promise<unknown[]> => rowsOf(database, "engine", query);

  test("reads one row for each different prefix to find the prefixes within the configured ones", async () => {
    const prefixes = 10;
    await loadLines(
      ...Array.from({ length: 4_000 }, (_, at) => announce(at, `192.0.${at % prefixes}.0/24`, [64_496, 64_500])),
    );
    await detectWith({ "0.0.0.0/1": [64_500], "128.0.0.0/1": [64_500], "::/0": [64_500] });
    const match = await readFile(new URL("../../routing/judging/match.sql", import.meta.url), "utf8");
    await using client = await database.connect("loader");
    const { rows } = await client.query<{ "QUERY PLAN": [{ Plan: PlanNode }] }>(
      `explain (analyze, format json) ${match.split(";")[0]}`,
    );
    const read = rowsRead(rows[0]!["QUERY PLAN"][0].Plan);
    expect(read).toBeGreaterThanOrEqual(prefixes);
    expect(read).toBeLessThanOrEqual(2 * prefixes);
  });

  test("distinguishes hijacks of the exact prefix, of a sub-prefix and of unused space", async () => {
    await loadLines(
      announce(0, "192.0.2.0/24", [64_496, 64_500]),
      announce(1, "192.0.2.0/24", [64_496, 64_511]),
      announce(2, "192.0.2.128/25", [64_496, 64_511]),
      announce(3, "192.0.2.0/25", [64_496, 64_500]),
      announce(4, "198.51.100.0/24", [64_496, 64_511]),
      announce(5, "203.0.113.0/24", [64_496, 64_511]),
      announce(6, "2001:db8:1::/48", [64_496, 64_511]),
    );
    await detectWith({ "192.0.2.0/24": [64_500], "198.51.100.0/24": [], "2001:db8::/32": [64_500] });
    expect(await ask("select prefix, type, hijack_as, configured_prefix from view_hijacks order by prefix")).toEqual([
      { prefix: "192.0.2.0/24", type: "E|0|-|-", hijack_as: 64_511, configured_prefix: "192.0.2.0/24" },
      { prefix: "192.0.2.128/25", type: "S|0|-|-", hijack_as: 64_511, configured_prefix: "192.0.2.0/24" },
      { prefix: "198.51.100.0/24", type: "Q|0|-|-", hijack_as: 64_511, configured_prefix: "198.51.100.0/24" },
      { prefix: "2001:db8:1::/48", type: "S|0|-|-", hijack_as: 64_511, configured_prefix: "2001:db8::/32" },
    ]);
    expect(
      await ask(
        "select prefix, handled, matched_prefix, cardinality(hijack_key) as keys from view_bgpupdates order by timestamp",
      ),
    ).toEqual([
      { prefix: "192.0.2.0/24", handled: true, matched_prefix: "192.0.2.0/24", keys: 0 },
      { prefix: "192.0.2.0/24", handled: true, matched_prefix: "192.0.2.0/24", keys: 1 },
      { prefix: "192.0.2.128/25", handled: true, matched_prefix: "192.0.2.0/24", keys: 1 },
      { prefix: "192.0.2.0/25", handled: true, matched_prefix: "192.0.2.0/24", keys: 0 },
      { prefix: "198.51.100.0/24", handled: true, matched_prefix: "198.51.100.0/24", keys: 1 },
      { prefix: "203.0.113.0/24", handled: false, matched_prefix: null, keys: 0 },
      { prefix: "2001:db8:1::/48", handled: true, matched_prefix: "2001:db8::/32", keys: 1 },
    ]);
  });

  test("the most specific configured prefix decides", async () => {
    await loadLines(announce(0, "192.0.2.128/25", [64_496, 64_501]), announce(1, "192.0.2.0/25", [64_496, 64_501]));
    await detectWith({ "192.0.2.0/24": [64_500], "192.0.2.128/25": [64_501], "192.0.0.0/16": [64_502] });
    expect(await ask("select prefix, configured_prefix from view_hijacks")).toEqual([
      { prefix: "192.0.2.0/25", configured_prefix: "192.0.2.0/24" },
    ]);
    expect(await ask("select prefix, matched_prefix from view_bgpupdates order by prefix")).toEqual([
      { prefix: "192.0.2.0/25", matched_prefix: "192.0.2.0/24" },
      { prefix: "192.0.2.128/25", matched_prefix: "192.0.2.128/25" },
    ]);
  });

  test("the record has peers, times and hijacker, linked with updates both ways", async () => {
    await loadLines(
      announce(10, "192.0.2.0/24", [64_496, 64_498, 64_511]),
      announce(11, "192.0.2.0/24", [64_497, 64_498, 64_511, 64_511]),
      announce(12, "192.0.2.0/24", [64_499, 64_500]),
      withdraw(20, "192.0.2.0/24", 64_497),
      withdraw(21, "192.0.2.0/24", 64_499),
    );
    await detectWith({ "192.0.2.0/24": [64_500] });
    const [hijack] = (await ask("select * from view_hijacks")) as Record<string, unknown>[];
    expect(hijack).toMatchObject({
      active: true,
      withdrawn: false,
      dormant: false,
      outdated: false,
      resolved: false,
      ignored: false,
      seen: false,
      under_mitigation: false,
      comment: "",
      community_annotation: "NA",
      rpki_status: "NA",
      peers_seen: [64_496, 64_497],
      peers_withdrawn: [64_497],
      num_peers_seen: 2,
      num_asns_inf: 3,
      time_started: time(10),
      time_last: time(20),
      time_ended: null,
    });
    expect(await rowsOf(database, "owner", "select asns_inf from routing.hijacks")).toEqual([
      { asns_inf: [64_496, 64_497, 64_498] },
    ]);
    expect(hijack?.["key"]).toMatch(/^[0-9a-f]{32}$/);
    expect(await ask("select type, peer_asn, hijack_key from view_bgpupdates_hijacks order by timestamp")).toEqual([
      { type: "A", peer_asn: 64_496, hijack_key: hijack?.["key"] },
      { type: "A", peer_asn: 64_497, hijack_key: hijack?.["key"] },
      { type: "W", peer_asn: 64_497, hijack_key: hijack?.["key"] },
    ]);
    expect(
      await ask("select peer_asn, type from view_bgpupdates where cardinality(hijack_key) > 0 order by timestamp"),
    ).toEqual([
      { peer_asn: 64_496, type: "A" },
      { peer_asn: 64_497, type: "A" },
      { peer_asn: 64_497, type: "W" },
    ]);
  });

  test("a hijack ends when 80 % of its peers lost it, and its return is another record", async () => {
    const peers = [64_496, 64_497, 64_498, 64_499, 64_504];
    await loadLines(
      ...peers.map((peer, index) => announce(index, "192.0.2.0/24", [peer, 64_511])),
      withdraw(20, "192.0.2.0/24", 64_496),
      announce(21, "192.0.2.0/24", [64_497, 64_500]),
      announce(22, "192.0.2.128/25", [64_498, 64_500]),
    );
    await detectWith({ "192.0.2.0/24": [64_500] });
    const state = `select active, withdrawn, time_started, time_last, time_ended, peers_withdrawn from view_hijacks order by time_started`;
    expect(await ask(state)).toEqual([
      {
        active: true,
        withdrawn: false,
        time_started: time(0),
        time_last: time(22),
        time_ended: null,
        peers_withdrawn: [64_496, 64_497, 64_498],
      },
    ]);
    await loadLines(withdraw(30, "192.0.2.0/24", 64_499));
    const ended = {
      active: false,
      withdrawn: true,
      time_started: time(0),
      time_last: time(30),
      time_ended: time(30),
      peers_withdrawn: [64_496, 64_497, 64_498, 64_499],
    };
    expect(await ask(state)).toEqual([ended]);
    await loadLines(
      withdraw(39, "192.0.2.0/24", 64_504),
      announce(40, "192.0.2.0/24", [64_496, 64_511]),
      announce(41, "192.0.2.0/24", [64_497, 64_511]),
    );
    expect(await ask(state)).toEqual([
      ended,
      {
        active: true,
        withdrawn: false,
        time_started: time(40),
        time_last: time(41),
        time_ended: null,
        peers_withdrawn: [],
      },
    ]);
    expect(await ask("select count(*)::integer from view_bgpupdates_hijacks where peer_asn = 64504")).toEqual([
      { count: 1 },
    ]);
  });

  test("a hijack without updates for a day is dormant", async () => {
    await loadLines(announce(-90_000, "192.0.2.0/24", [64_496, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask("select active, dormant from view_hijacks")).toEqual([{ active: true, dormant: true }]);
    await loadLines(announce(0, "192.0.2.0/24", [64_497, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask("select active, dormant from view_hijacks")).toEqual([{ active: true, dormant: false }]);
  });

  test("a second run changes nothing, and new updates change the existing record", async () => {
    const everything = `select (select json_agg(h order by key) from view_hijacks h) as hijacks,
      (select json_agg(u order by "timestamp", prefix, peer_asn) from view_bgpupdates u) as updates,
      (select json_agg(l order by hijack_key, "timestamp") from view_bgpupdates_hijacks l) as links`;
    await load("--demo", "4000", "--start", "2026-05-01");
    const configuration = join(import.meta.dirname, "../../routing/examples/demo.yaml");
    expect((await detect(configuration)).stdout).toMatch(/prefixes +5 configured: 5 new/);
    const before = await ask(everything);
    const { stdout } = await detect(configuration);
    expect(stdout).toMatch(/0 new, 0 changed, 0 removed\n.* 0 marked[^]* 0 new, 0 updated; 0 outdated/);
    expect(await ask(everything)).toEqual(before);
    const [{ count }] = (await ask("select count(*)::integer from view_hijacks")) as [{ count: number }];
    await load("--demo", "4000", "--start", "2026-05-02");
    const [{ count: later }] = (await ask("select count(*)::integer from view_hijacks")) as [{ count: number }];
    expect(later).toBeGreaterThan(count);
    // the load has judged its updates already
    expect((await detect(configuration)).stdout).toMatch(
      /0 marked or linked again\nhijacks .* 0 new, 0 updated; 0 outdated/,
    );
  });

  /** All that detection writes, except the times of detection and the order of arrival. */
  async function judged(): Promise<unknown> {
    const [result] = await rowsOf(
      database,
      "backup",
      `select (select json_agg(to_jsonb(h) - '{time_detected,timestamp_of_config}'::text[] order by key) from routing.hijacks h) as hijacks,
         (select json_agg(to_jsonb(u) - 'position' order by "timestamp", key) from routing.bgp_updates u) as updates,
         (select json_agg(p order by hijack_key, peer_asn) from routing.hijack_peers p) as peers,
         (select json_agg(l order by prefix, time_started) from routing.visibility_losses l) as losses,
         (select json_agg(p order by prefix, peer_asn) from routing.prefix_peers p) as visible`,
    );
    return result;
  }

  describe("judges updates as they are loaded, and equal to a run over all of them:", () => {
    const prefixes = { "192.0.2.0/24": [64_500], "198.51.100.0/24": [64_501], "203.0.113.0/24": [] };
    const origins = [64_500, 64_501, 64_510, 64_511];
    const announced = [
      "192.0.2.0/24",
      "192.0.2.0/25",
      "192.0.2.128/25",
      "198.51.100.0/24",
      "203.0.113.0/24",
      "100.64.0.0/10",
    ];

    /** Updates of a few monitors and prefixes, by a generator of numbers that is the same in each run. */
    function updates(seed: number, count: number): string[] {
      let state = seed;
      const pick = (below: number): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state % below;
      };
      return Array.from({ length: count }, (_, at) => {
        const prefix = announced[pick(announced.length)]!;
        const peer = 64_496 + pick(3);
        return pick(3) === 0
          ? withdraw(Math.floor(at / 2), prefix, peer)
          : announce(Math.floor(at / 2), prefix, [peer, 64_505, origins[pick(origins.length)]!]);
      });
    }

    test.each([1, 2, 3])("in order, updates %i", async (seed) => {
      const lines = updates(seed, 300);
      await loadLines(...lines);
      await detectWith(prefixes);
      const batch = await judged();
      await clear();
      await detectWith(prefixes);
      for (let from = 0; from < lines.length; from += 50) await loadLines(...lines.slice(from, from + 50));
      expect(await judged()).toEqual(batch);
      expect((await detectWith(prefixes)).stdout).toMatch(
        /0 marked or linked again\nhijacks .* 0 new, 0 updated; 0 outdated/,
      );
    });

    test.each([4, 5, 6])("a run after late and mixed updates %i changes nothing", async (seed) => {
      const lines = updates(seed, 240);
      await detectWith(prefixes);
      const parts = [0, 1, 2, 3].map((part) => lines.filter((_, at) => Math.floor(at / 30) % 4 === part));
      for (const part of parts.toReversed()) await loadLines(...part);
      const live = await judged();
      expect((await detectWith(prefixes)).stdout).toMatch(
        /0 marked or linked again\nhijacks .* 0 new, 0 updated; 0 outdated/,
      );
      expect(await judged()).toEqual(live);
      expect(
        await ask("select prefix, hijack_as, type from view_hijacks where active group by 1, 2, 3 having count(*) > 1"),
      ).toEqual([]);
    });
  });

  test("correct and hijacked announcements of one time are one record, also in several loads", async () => {
    const seconds = [1, 2, 3, 4];
    const correct = seconds.map((second) => announce(second, "192.0.2.0/24", [64_496, 64_500]));
    const hijacked = seconds.map((second) => announce(second, "192.0.2.0/24", [64_496, 64_511]));
    const loads = [[[...correct, ...hijacked]], [correct, hijacked], [hijacked, correct]];
    for (const each of loads) {
      await clear();
      await detectWith({ "192.0.2.0/24": [64_500] });
      for (const lines of each) await loadLines(...lines);
      expect(await ask("select active, time_started, time_last, time_ended from view_hijacks")).toEqual([
        { active: true, time_started: time(1), time_last: time(4), time_ended: null },
      ]);
      expect((await detectWith({ "192.0.2.0/24": [64_500] })).stdout).toMatch(
        /0 marked or linked again\nhijacks .* 0 new, 0 updated; 0 outdated/,
      );
    }
  });

  test("keeps an operator's changes; after a resolved or ignored hijack another record begins", async () => {
    await loadLines(announce(0, "192.0.2.0/24", [64_496, 64_511]), announce(0, "192.0.2.0/25", [64_496, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    {
      await using owner = await database.connect("owner");
      await owner.query(`update routing.hijacks set resolved = true, active = false, seen = true, time_ended = '2026-01-01', comment = 'ours',
        community_annotation = 'critical', mitigation_started = '2026-01-02' where prefix = '192.0.2.0/24'`);
      await owner.query("update routing.hijacks set ignored = true, active = false where prefix = '192.0.2.0/25'");
    }
    await loadLines(announce(5, "192.0.2.0/24", [64_497, 64_511]), announce(5, "192.0.2.0/25", [64_497, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    const fields =
      "resolved, ignored, active, seen, time_ended, comment, community_annotation, under_mitigation, mitigation_started, num_peers_seen";
    const another = {
      resolved: false,
      ignored: false,
      active: true,
      seen: false,
      time_ended: null,
      comment: "",
      community_annotation: "NA",
      under_mitigation: false,
      mitigation_started: null,
      num_peers_seen: 1,
    };
    expect(await ask(`select ${fields} from view_hijacks order by prefix, time_started`)).toEqual([
      {
        resolved: true,
        ignored: false,
        active: false,
        seen: true,
        time_ended: "2026-01-01T00:00:00",
        comment: "ours",
        community_annotation: "critical",
        under_mitigation: false,
        mitigation_started: "2026-01-02T00:00:00",
        num_peers_seen: 1,
      },
      another,
      {
        resolved: false,
        ignored: true,
        active: false,
        seen: false,
        time_ended: null,
        comment: "",
        community_annotation: "NA",
        under_mitigation: false,
        mitigation_started: null,
        num_peers_seen: 1,
      },
      another,
    ]);
    expect((await detectWith({ "192.0.2.0/24": [64_500] })).stdout).toMatch(
      /0 marked.*\nhijacks .* 0 new, 0 updated; 0 outdated/,
    );
  });

  test("a hijack outside the configuration is outdated, and its return is another record", async () => {
    await loadLines(announce(0, "192.0.2.0/24", [64_496, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    const flags = "select active, outdated from view_hijacks order by time_started";
    expect((await detectWith({ "192.0.2.0/24": [64_500, 64_511] })).stdout).toContain("1 changed");
    const outdated = { active: false, outdated: true };
    expect(await ask(flags)).toEqual([outdated]);
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask(flags)).toEqual([outdated]);
    await loadLines(announce(1, "192.0.2.0/24", [64_496, 64_511]));
    expect(await ask(flags)).toEqual([outdated, { active: true, outdated: false }]);
    await detectWith({ "198.51.100.0/24": [64_500] });
    expect(await ask(flags)).toEqual([outdated, { active: true, outdated: false }]);
    expect((await detectWith({ "198.51.100.0/24": [64_500] }, "--replace")).stdout).toContain("1 removed");
    expect(await ask(flags)).toEqual([outdated, outdated]);
  });

  test("a changed configuration makes another record of another type, which names the previous one", async () => {
    await loadLines(announce(0, "192.0.2.128/25", [64_496, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    await detectWith({ "192.0.2.128/25": [64_500] });
    const [first, second] = (await rowsOf(
      database,
      "backup",
      "select key, type, active, outdated_parent as parent from routing.hijacks order by type desc",
    )) as Record<string, unknown>[];
    expect(first).toMatchObject({ type: "S|0|-|-", active: false, parent: null });
    expect(second).toMatchObject({ type: "E|0|-|-", active: true, parent: first?.["key"] });
    expect(await ask("select cardinality(hijack_key) as keys from view_bgpupdates")).toEqual([{ keys: 2 }]);
  });

  test("ARTEMIS's configuration decides by ASes, policies, ranges and annotations", async () => {
    await writeFile(
      join(folder, "artemis.yaml"),
      `prefixes: { own: &own 192.0.2.0/24^24-25, wide: &wide 198.51.100.0/24 }
asns: { origin: &origin 64500 }
rules:
- prefixes: [*own]
  origin_asns: [*origin]
  neighbors: [64501 - 64503]
  policies: [no-export]
  community_annotations: [{ critical: [{ in: ['64500:1'] }] }]
- prefixes: [*wide]
  origin_asns: '*'
autoignore: { quiet: { thres_num_peers_seen: 2, thres_num_ases_infected: 2, interval: 1, prefixes: [*wide] } }
`,
    );
    await loadLines(
      announce(0, "192.0.2.0/24", [64_496, 64_501, 64_500]),
      announce(1, "192.0.2.0/25", [64_496, 64_509, 64_500]).replace("|0|0||", "|0|0|64500:1|"),
      announce(2, "192.0.2.0/26", [64_496, 64_498, 64_501, 64_500]),
      announce(3, "198.51.100.0/25", [64_496, 64_500]),
    );
    expect(await detect(join(folder, "artemis.yaml"))).toMatchObject({ code: 0, stderr: "" });
    expect(
      await ask(
        "select prefix, type, hijack_as, configured_prefix, community_annotation from view_hijacks order by prefix",
      ),
    ).toEqual([
      {
        prefix: "192.0.2.0/25",
        type: "E|1|-|-",
        hijack_as: 64_509,
        configured_prefix: "192.0.2.0/25",
        community_annotation: "critical",
      },
      {
        prefix: "192.0.2.0/26",
        type: "S|-|-|L",
        hijack_as: 64_501,
        configured_prefix: "192.0.2.0/25",
        community_annotation: "NA",
      },
      {
        prefix: "198.51.100.0/25",
        type: "S|-|-|-",
        hijack_as: -1,
        configured_prefix: "198.51.100.0/24",
        community_annotation: "NA",
      },
    ]);
  });

  test("repetitions of an update have one link, which is deleted with the last of them", async () => {
    const line = announce(0, "192.0.2.0/24", [64_496, 64_511]);
    await loadLines(line, line);
    await detectWith({ "192.0.2.0/24": [64_500] });
    const links = "select count(*)::integer from view_bgpupdates_hijacks";
    expect(await ask("select count(*)::integer from view_bgpupdates where cardinality(hijack_key) = 1")).toEqual([
      { count: 2 },
    ]);
    expect(await ask(links)).toEqual([{ count: 1 }]);
    await using owner = await database.connect("owner");
    await owner.query(
      "delete from routing.bgp_updates where key = (select min(key::text)::uuid from routing.bgp_updates)",
    );
    expect(await ask(links)).toEqual([{ count: 1 }]);
    await owner.query("update routing.bgp_updates set hijack_key = '{}'");
    expect(await ask(links)).toEqual([{ count: 0 }]);
  });

  describe("visibility", () => {
    const prefix = "192.0.2.0/24";
    const configuration = async (text: string, ...options: string[]): Promise<void> => {
      await writeFile(join(folder, "configuration.yaml"), text);
      expect(await detect(...options, join(folder, "configuration.yaml"))).toMatchObject({ code: 0, stderr: "" });
    };
    const own = (peers: number): string =>
      `min_peers: ${peers}\nprefixes:\n  - { prefix: ${prefix}, origins: [64500] }\n  - { prefix: 198.51.100.0/24, origins: [] }`;
    const losses = (): Promise<unknown[]> =>
      ask(
        "select prefix, time_started, time_ended, active, min_peers, num_peers from view_visibility_losses order by prefix, time_started",
      );
    const loss = (from: number, to: number | null, values: object = {}): unknown => ({
      prefix,
      time_started: time(from),
      time_ended: to === null ? null : time(to),
      active: to === null,
      min_peers: 1,
      num_peers: 0,
      ...values,
    });
    const seen = (second: number, peer: number, where = prefix): string => announce(second, where, [peer, 64_500]);

    test("a prefix that no peer announces any more is lost, until one announces it", async () => {
      await configuration(own(1));
      // Neither a first withdrawal, nor one of a more specific prefix, nor one of unused space loses anything.
      await loadLines(
        withdraw(0, prefix, 64_496),
        seen(1, 64_496),
        seen(1, 64_497),
        seen(2, 64_496, "192.0.2.0/25"),
        withdraw(3, "192.0.2.0/25", 64_496),
        seen(4, 64_496, "198.51.100.0/24"),
        withdraw(5, "198.51.100.0/24", 64_496),
        withdraw(6, prefix, 64_496),
      );
      expect(await losses()).toEqual([]);
      await loadLines(withdraw(7, prefix, 64_497));
      expect(await losses()).toEqual([loss(7, null)]);
      // The same files again, and another run of detect.
      await loadLines(withdraw(7, prefix, 64_497), seen(1, 64_496));
      await configuration(own(1));
      expect(await losses()).toEqual([loss(7, null)]);
      await loadLines(seen(9, 64_498));
      await loadLines(withdraw(11, prefix, 64_498));
      expect(await losses()).toEqual([loss(7, 9), loss(11, null)]);
      await using backup = await database.connect("backup");
      await expect(backup.query("select num_peers from view_visibility_losses")).resolves.toMatchObject({
        rowCount: 2,
      });
    });

    test("updates of before the configuration count, and a late one for its peer", async () => {
      await loadLines(seen(0, 64_496), seen(0, 64_497), withdraw(5, prefix, 64_496), withdraw(6, prefix, 64_497));
      await configuration(own(1));
      expect(await losses()).toEqual([loss(6, null)]);
      await loadLines(seen(3, 64_496));
      expect(await losses()).toEqual([loss(6, null)]);
      await loadLines(seen(2, 64_498));
      expect(await losses()).toEqual([loss(6, 6)]);
    });

    test("the configuration has the number of peers, and decides what is watched", async () => {
      await configuration(own(2));
      await loadLines(seen(0, 64_496), withdraw(1, prefix, 64_496), seen(2, 64_496));
      expect(await losses()).toEqual([]);
      await loadLines(seen(3, 64_497), seen(3, 64_498), withdraw(4, prefix, 64_497));
      expect(await losses()).toEqual([]);
      await loadLines(withdraw(5, prefix, 64_498));
      expect(await losses()).toEqual([loss(5, null, { min_peers: 2, num_peers: 1 })]);
      await configuration(own(1));
      expect(await losses()).toEqual([loss(5, 5, { min_peers: 2, num_peers: 1 })]);
      await loadLines(withdraw(6, prefix, 64_496));
      await configuration(own(0));
      await loadLines(seen(7, 64_496));
      const unwatched = loss(6, null, { active: false });
      expect(await losses()).toEqual([loss(5, 5, { min_peers: 2, num_peers: 1 }), unwatched]);
    });
  });

  test("a path without origin is not a hijack, and an AS set is one per foreign member", async () => {
    await loadLines(
      `BGP4MP|${start}|A|192.0.2.1|64496|192.0.2.0/24||IGP|192.0.2.1|0|0||NAG||`,
      `BGP4MP|${start}|A|192.0.2.1|64496|192.0.2.0/24|64496 {64500,64511}|IGP|192.0.2.1|0|0||NAG||`,
    );
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask("select hijack_as from view_hijacks")).toEqual([{ hijack_as: 64_511 }]);
  });

  test("a comparison with the stored configuration changes nothing", async () => {
    const configuration = (origin: number): string =>
      JSON.stringify({ prefixes: [{ prefix: "192.0.2.0/24", origins: [origin], organisation: "example" }] });
    await detectWith({ "192.0.2.0/24": [64_500] });
    const stored = `select d.version::text, c.prefix::text, c.origins from routing.detection d, routing.configured_prefixes c`;
    const before = await rowsOf(database, "backup", stored);
    await using client = await database.connect("loader");
    const compare = (origin: number): Promise<string | undefined> =>
      versionIfStored(client, readConfiguration(configuration(origin), "configuration.yaml"));
    expect([await compare(64_500), await compare(64_501)]).toEqual([
      (before[0] as { version: string }).version,
      undefined,
    ]);
    expect(before).toHaveLength(1);
    expect(await rowsOf(database, "backup", stored)).toEqual(before);
  });

  describe.each([
    ["in one order", 0],
    ["in the other order", 1],
  ])("beside an operator who locks hijacks %s", (_, first) => {
    const prefixes = ["192.0.2.0/24", "198.51.100.0/24"] as const;

    /** Runs a command that changes both hijacks, while an operator has one and wants the other. Postgres ends the command's transaction. */
    async function besideOperator<T>(application: string, command: () => Promise<T>): Promise<T> {
      await using operator = await database.connect("bootstrap");
      await operator.query("set deadlock_timeout = '10min'; begin");
      const lock = (index: number) =>
        operator.query("select from routing.hijacks where prefix = $1 for update", [prefixes[index]]);
      await lock(first);
      const running = command();
      await using watcher = await database.connect("bootstrap");
      const waiting = "select from pg_stat_activity where application_name = $1 and wait_event_type = 'Lock'";
      await expect
        .poll(async () => (await watcher.query(waiting, [application])).rowCount, { timeout: 10_000 })
        .toBe(1);
      await lock(1 - first);
      await operator.query("commit");
      return running;
    }

    beforeEach(async () => {
      await detectWith(Object.fromEntries(prefixes.map((prefix) => [prefix, [64_500]])));
      await loadLines(...prefixes.map((prefix) => announce(0, prefix, [64_496, 64_666])));
    });

    test("a detection continues", async () => {
      const detection = () => detectWith(Object.fromEntries(prefixes.map((prefix) => [prefix, [64_500, 64_666]])));
      expect(await besideOperator("routeql-detect", detection)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining("2 outdated") as string,
      });
    });

    test("a load continues", async () => {
      const later = prefixes.map((prefix) => announce(7, prefix, [64_497, 64_666]));
      await besideOperator("routeql-load", () => loadLines(...later));
      expect(await ask("select num_peers_seen from view_hijacks")).toEqual([
        { num_peers_seen: 2 },
        { num_peers_seen: 2 },
      ]);
    });
  });

  test("an invalid configuration changes nothing", async () => {
    await writeFile(
      join(folder, "wrong.yaml"),
      "prefixes:\n  - { prefix: 192.0.2.1/24, origins: [1] }\n  - { prefix: x, origins: [] }\n",
    );
    const { code, stderr } = await detect(join(folder, "wrong.yaml"));
    expect(code).toBe(1);
    expect(stderr).toMatch(/wrong\.yaml:2: .*bits set beyond its length\n.*wrong\.yaml:3: .*no IPv4 or IPv6 prefix\n/);
    expect(await ask("select * from view_configured_prefixes")).toEqual([]);
    expect(await detect(join(folder, "nowhere.yaml"))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("cannot be read") as string,
    });
    expect(await detect("a", "b")).toMatchObject({ code: 2 });
  });
});
