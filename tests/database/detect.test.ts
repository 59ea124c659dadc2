import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
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

  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query(
      "truncate routing.bgp_updates, routing.hijacks, routing.update_links, routing.configured_prefixes",
    );
  });

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
      time_last: time(11),
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

  test("a hijack ends when 80 % of its peers withdrew it or use another route", async () => {
    const peers = [64_496, 64_497, 64_498, 64_499, 64_504];
    await loadLines(
      ...peers.map((peer, index) => announce(index, "192.0.2.0/24", [peer, 64_511])),
      withdraw(20, "192.0.2.0/24", 64_496),
      announce(21, "192.0.2.0/24", [64_497, 64_500]),
      withdraw(22, "192.0.2.0/24", 64_498),
    );
    await detectWith({ "192.0.2.0/24": [64_500] });
    const state = "select active, withdrawn, time_last, time_ended, peers_withdrawn from view_hijacks";
    expect(await ask(state)).toEqual([
      {
        active: true,
        withdrawn: false,
        time_last: time(4),
        time_ended: null,
        peers_withdrawn: [64_496, 64_497, 64_498],
      },
    ]);
    await loadLines(withdraw(30, "192.0.2.0/24", 64_499));
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask(state)).toEqual([
      {
        active: false,
        withdrawn: true,
        time_last: time(4),
        time_ended: time(30),
        peers_withdrawn: [64_496, 64_497, 64_498, 64_499],
      },
    ]);
    // announced again by peers that had withdrawn: it is active again
    await loadLines(announce(40, "192.0.2.0/24", [64_496, 64_511]), announce(41, "192.0.2.0/24", [64_497, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask(state)).toEqual([
      { active: true, withdrawn: false, time_last: time(41), time_ended: null, peers_withdrawn: [64_498, 64_499] },
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
    expect((await detect(configuration)).stdout).toMatch(
      new RegExp(`hijacks +${count} found: 0 new, ${count} updated`),
    );
    expect(
      await ask(
        "select count(*)::integer, count(distinct (prefix, hijack_as, type))::integer as distinct from view_hijacks",
      ),
    ).toEqual([{ count, distinct: count }]);
  });

  test("keeps an operator's changes, also resolved and ignored hijacks", async () => {
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
    expect(await ask(`select ${fields} from view_hijacks order by prefix`)).toEqual([
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
        num_peers_seen: 2,
      },
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
        num_peers_seen: 2,
      },
    ]);
  });

  test("a hijack outside the configuration is outdated until the configuration covers it again", async () => {
    await loadLines(announce(0, "192.0.2.0/24", [64_496, 64_511]));
    await detectWith({ "192.0.2.0/24": [64_500] });
    const flags = "select active, outdated from view_hijacks";
    expect((await detectWith({ "192.0.2.0/24": [64_500, 64_511] })).stdout).toContain("1 changed");
    expect(await ask(flags)).toEqual([{ active: false, outdated: true }]);
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask(flags)).toEqual([{ active: true, outdated: false }]);
    await detectWith({ "198.51.100.0/24": [64_500] });
    expect(await ask(flags)).toEqual([{ active: true, outdated: false }]);
    expect((await detectWith({ "198.51.100.0/24": [64_500] }, "--replace")).stdout).toContain("1 removed");
    expect(await ask(flags)).toEqual([{ active: false, outdated: true }]);
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

  test("a path without origin is not a hijack, and an AS set is one per foreign member", async () => {
    await loadLines(
      `BGP4MP|${start}|A|192.0.2.1|64496|192.0.2.0/24||IGP|192.0.2.1|0|0||NAG||`,
      `BGP4MP|${start}|A|192.0.2.1|64496|192.0.2.0/24|64496 {64500,64511}|IGP|192.0.2.1|0|0||NAG||`,
    );
    await detectWith({ "192.0.2.0/24": [64_500] });
    expect(await ask("select hijack_as from view_hijacks")).toEqual([{ hijack_as: 64_511 }]);
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
