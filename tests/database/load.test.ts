import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { advisoryLocks } from "@routeql/database-access/advisory-locks";
import { loadCommand } from "@routeql/routing/commands/load";
import { asPath, bgp4mp, nextHop, origin, prefix24, update } from "@routeql/routing/testing/mrt-encoder";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import {
  type CommandResult,
  commandsOn,
  dropPartitions,
  partitionsOf,
  rowsOf,
  type Run,
  runCommand,
} from "./support.ts";

describe("load", () => {
  let database: StartedDatabaseContainer;
  let load: Run;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-load-"));
    database = await startDatabase();
    ({ load } = commandsOn(database));
  });

  afterAll(async () => {
    await database.stop();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates");
  });

  async function loadText(text: string | Buffer, ...options: string[]): Promise<CommandResult> {
    const file = join(folder, "input");
    await writeFile(file, text);
    return load(...options, file);
  }

  const served = 'select * from view_bgpupdates order by "timestamp", prefix, origin_as, as_path';

  test("records when a load finished and its duration; a broken input records nothing", async () => {
    const runs =
      "select run, finished_at > now() - interval '1 minute' as recent, seconds between 0 and 60 as plausible from migrations.finished_runs";
    await using owner = await database.connect("owner");
    await owner.query("truncate migrations.finished_runs");
    expect(await loadText("no routing data")).toMatchObject({ code: 1 });
    await using loader = await database.connect("loader");
    await loader.query("select migrations.record_run('backup', 1)");
    expect(await rowsOf(database, "owner", runs)).toEqual([]);
    // On a busy machine the progress stands there too.
    expect(await loadText("BGP4MP|1445565679|W|2001:db8::1|65536|2001:db8:1::/48")).toMatchObject({
      code: 0,
      stderr: expect.not.stringContaining("could not be recorded") as string,
    });
    expect(await rowsOf(database, "owner", runs)).toEqual([{ run: "load", recent: true, plausible: true }]);
  });

  test("refuses times ahead and long ago, so that a small file makes few partitions", async () => {
    const months = Array.from({ length: 1320 }, (_, month) => Date.UTC(1990, month, 15) / 1000);
    const lines = months.map((time) => `BGP4MP|${time}|W|192.0.2.1|64496|198.51.100.0/24`).join("\n");
    const { code, stdout } = await loadText(lines);
    expect(code).toBe(0);
    expect(stdout).toContain("× the time is more than a day ahead");
    expect(stdout).toContain("× the time is older than --max-age-days");
    const count = async (): Promise<number> => (await partitionsOf(database)).length;
    expect(await count()).toBeGreaterThan(200);
    expect(await count()).toBeLessThanOrEqual(250);
    // The database refuses more months to any client of the loader's role.
    const make = (year: number) =>
      rowsOf(database, "loader", `select routing.ensure_partitions('${year}-01-01', '${year}-12-31')`);
    await expect(Promise.all([1995, 1996, 1997, 1998].map(make))).rejects.toThrow("has 250 months, the most");
    await expect(make(new Date().getUTCFullYear() + 1)).rejects.toThrow("from 1990 to tomorrow");
    expect(await count()).toBeLessThanOrEqual(250);
    await using owner = await database.connect("owner");
    await dropPartitions(owner);
    expect(
      await loadText(`BGP4MP|${Math.floor(Date.now() / 1000) + 3600}|W|192.0.2.1|64496|198.51.100.0/24`),
    ).toMatchObject({ stdout: expect.stringMatching(/loaded +1/) });
  });

  test("the view serves the content of a bgpdump line", async () => {
    const lines = [
      "BGP4MP_ET|1445565678.509481|A|192.0.2.1|64496|198.51.100.0/24|64496 64497 64500|IGP|192.0.2.1|0|0|64496:200 64496:1:2|NAG||",
      "BGP4MP|1445565679|W|2001:db8::1|65536|2001:db8:1::/48",
      "BGP4MP_ET|1445565680.000001|A|192.0.2.1|64496|2001:db8:2::/48||IGP|::|0|0||NAG||",
    ];
    expect(await loadText(lines.join("\n"), "--service", "ripe-ris|rrc03")).toMatchObject({ code: 0 });
    const unhandled = {
      hijack_key: [],
      handled: false,
      matched_prefix: null,
      orig_path: null,
      service: "ripe-ris|rrc03",
    };
    expect(await rowsOf(database, "engine", served)).toEqual([
      {
        ...unhandled,
        prefix: "198.51.100.0/24",
        origin_as: 64_500,
        peer_asn: 64_496,
        as_path: [64_496, 64_497, 64_500],
        type: "A",
        communities: [
          [64_496, 200],
          [64_496, 1, 2],
        ],
        timestamp: "2015-10-23T02:01:18.509481",
      },
      {
        ...unhandled,
        prefix: "2001:db8:1::/48",
        origin_as: -1,
        peer_asn: 65_536,
        as_path: [],
        type: "W",
        communities: [],
        timestamp: "2015-10-23T02:01:19",
      },
      {
        ...unhandled,
        prefix: "2001:db8:2::/48",
        origin_as: -1,
        peer_asn: 64_496,
        as_path: [],
        type: "A",
        communities: [],
        timestamp: "2015-10-23T02:01:20.000001",
      },
    ]);
  });

  test("an AS set becomes one row per member, with the announced path beside it", async () => {
    const line =
      "BGP4MP|1445565678|A|192.0.2.1|64496|198.51.100.0/24|64496 64497 {64500,64501}|IGP|192.0.2.1|0|0||NAG||\n";
    const { stdout } = await loadText(line);
    expect(stdout).toMatch(/read +1: 1 announcements[^]*rows +2 in[^]*loaded +2$/m);
    expect(await rowsOf(database, "engine", `select as_path, origin_as, orig_path from (${served}) s`)).toEqual([
      { as_path: [64_496, 64_497, 64_500], origin_as: 64_500, orig_path: [64_496, 64_497, [64_500, 64_501]] },
      { as_path: [64_496, 64_497, 64_501], origin_as: 64_501, orig_path: [64_496, 64_497, [64_500, 64_501]] },
    ]);
    expect((await loadText(line)).stdout).toMatch(/loaded +0\n +duplicates +2\n/);
  });

  test("bits beyond a prefix's length do not create another prefix", async () => {
    await loadText(
      "BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.77/24\nBGP4MP|1445565678|W|192.0.2.1|64496|2001:db8::7/32\n",
    );
    expect(await rowsOf(database, "engine", `select prefix from (${served}) s`)).toEqual([
      { prefix: "198.51.100.0/24" },
      { prefix: "2001:db8::/32" },
    ]);
  });

  test("keeps real repetitions within a file, and adds none for the same file", async () => {
    const line = "BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.0/24\n";
    expect((await loadText(line.repeat(3))).stdout).toMatch(/loaded +3\n +duplicates +0\n/);
    expect((await loadText(line.repeat(3))).stdout).toMatch(/loaded +0\n +duplicates +3\n/);
    expect((await loadText(line)).stdout).toMatch(/loaded +0\n +duplicates +1\n/);
    expect((await loadText(line.repeat(5))).stdout).toMatch(/loaded +2\n +duplicates +3\n/);
  });

  test("updates that differ in service, monitor, path or a microsecond are distinct", async () => {
    const lines = [
      "BGP4MP_ET|1445565678.000001|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||",
      "BGP4MP_ET|1445565678.000002|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||",
      "BGP4MP_ET|1445565678.000001|A|192.0.2.1|64497|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||",
      "BGP4MP_ET|1445565678.000001|A|192.0.2.1|64496|198.51.100.0/24|64496 64501|IGP|192.0.2.1|0|0||NAG||",
      "BGP4MP_ET|1445565678.000001|W|192.0.2.1|64496|198.51.100.0/24",
    ].join("\n");
    expect((await loadText(lines)).stdout).toMatch(/loaded +5\n/);
    expect((await loadText(lines, "--service", "ripe-ris|rrc03")).stdout).toMatch(/loaded +5\n/);
  });

  test("the n-th report within a second of a source with other digits is the same update", async () => {
    const line = (time: string): string =>
      `BGP4MP_ET|${time}|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`;
    const loaded = async (...times: string[]): Promise<number> =>
      Number(/loaded +(\d+)/.exec((await loadText(times.map(line).join(""))).stdout)?.[1]);
    const socket = ["1445565678.100", "1445565678.800"];
    const second = ["1445565678", "1445565678"];
    const micro = ["1445565678.100123", "1445565678.800456"];
    // A socket that was there for half of the second, then files.
    expect(await loaded("1445565678.800")).toBe(1);
    expect(await loaded(...second)).toBe(1);
    for (const times of [second, micro, ["1445565678"]]) expect(await loaded(...times)).toBe(0);
    // A third report, and other updates of the second.
    expect(await loaded(...micro, "1445565678.900789")).toBe(1);
    expect(await loaded("1445565679.000001", "1445565677.999999")).toBe(2);
    // Times of one kind of source, in several inputs.
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates");
    for (const time of [...socket, "1445565678.801"]) expect(await loaded(time)).toBe(1);
    expect(await loaded(...second, "1445565678")).toBe(0);
    expect(await loaded(...second, ...second)).toBe(1);
  });

  test("compares an update with a second that has many", async () => {
    const line = (time: string, block: number): string =>
      `BGP4MP_ET|${time}|A|192.0.2.1|64496|2001:db8:${block}::/48|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`;
    const blocks = Array.from({ length: 40 }, (_, block) => block);
    await loadText(blocks.map((block) => line("1445565678.125", block)).join(""));
    expect((await loadText(line("1445565678", 39))).stdout).toMatch(/loaded +0\n/);
    expect((await loadText(line("1445565678.125", 38))).stdout).toMatch(/loaded +0\n/);
    expect((await loadText(line("1445565678.250", 37))).stdout).toMatch(/loaded +1\n/);
    expect((await loadText(line("1445565678", 37))).stdout).toMatch(/loaded +0\n/);
  });

  test("identifies a RIPEstat monitor by its paths, or leaves it unknown", async () => {
    const update = (type: string, source: string, path?: number[]): object => ({
      timestamp: "2026-06-16T08:21:48.25",
      type,
      attrs: { source_id: source, target_prefix: "198.51.100.0/24", path, community: path && [] },
    });
    const updates = [
      update("W", "00-192.0.2.1"),
      update("A", "00-192.0.2.1", [64_496, 64_500]),
      update("W", "01-192.0.2.9"),
    ];
    expect(await loadText(gzipSync(JSON.stringify({ data: { updates } })))).toMatchObject({ code: 0 });
    expect(
      await rowsOf(
        database,
        "engine",
        'select type, peer_asn, service, "timestamp" from view_bgpupdates order by service, type',
      ),
    ).toEqual([
      { type: "A", peer_asn: 64_496, service: "ripe-ris|rrc00", timestamp: "2026-06-16T08:21:48.25" },
      { type: "W", peer_asn: 64_496, service: "ripe-ris|rrc00", timestamp: "2026-06-16T08:21:48.25" },
      { type: "W", peer_asn: null, service: "ripe-ris|rrc01", timestamp: "2026-06-16T08:21:48.25" },
    ]);
  });

  test("counts and shows a broken line, and loads the others", async () => {
    const good = "BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.0/24";
    const { code, stdout } = await loadText(
      ["garbage \u001b[31m", good, good.replace("/24", "/42"), "BGP4MP|1445565678|STATE|192.0.2.1|64496|6|1"].join(
        "\n",
      ),
    );
    expect(code).toBe(0);
    expect(stdout).toMatch(/read +4: 0 announcements, 1 withdrawals, 1 STATE skipped, 2 refused\n/);
    expect(stdout).toMatch(/loaded +1\n/);
    expect(stdout).toContain("1 × not a line of bgpdump -m updates\n      1: garbage \\u{1b}[31m\n");
    expect(stdout).toContain(
      "1 × the prefix is not understood\n      3: BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.0/42",
    );
  });

  test("loads nothing of a broken file, and all of the other files", async () => {
    const lines = Array.from(
      { length: 5000 },
      (_, index) => `BGP4MP|${1_445_565_678 + index}|W|192.0.2.1|64496|198.51.100.0/24\n`,
    ).join("");
    const files = ["good", "broken", "missing", "last"].map((name) => join(folder, name));
    const [good = "", broken = "", , last = ""] = files;
    await writeFile(good, "BGP4MP|1445565678|W|192.0.2.1|64497|198.51.100.0/24\n");
    await writeFile(broken, gzipSync(lines).subarray(0, -200));
    await writeFile(last, "BGP4MP|1445565678|W|192.0.2.1|64498|198.51.100.0/24\n");
    const { code, stderr } = await load(...files);
    expect(code).toBe(1);
    expect(stderr).toContain("broken: nothing was loaded: the gzip stream ends early");
    expect(stderr).toContain("missing: nothing was loaded: there is no such file");
    expect(await rowsOf(database, "engine", "select peer_asn from view_bgpupdates order by 1")).toEqual([
      { peer_asn: 64_497 },
      { peer_asn: 64_498 },
    ]);
  });

  test("fails if every line of a file is refused, and accepts an empty file", async () => {
    expect(await loadText("BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.0/42\n")).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("1 × the prefix is not understood") as string,
      stderr: expect.stringContaining("because every record was refused") as string,
    });
    expect(await loadText(gzipSync(""))).toMatchObject({ code: 0 });
  });

  test("loads raw MRT and its bgpdump text as the same rows", async () => {
    const mrt = bgp4mp(update({ attributes: [origin, asPath(64_496, 64_500), nextHop], announced: prefix24 }));
    expect((await loadText(mrt)).stdout).toMatch(/\(MRT\)\n[^]*loaded +1\n/);
    const line = "BGP4MP|1470931200|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||\n";
    expect((await loadText(line)).stdout).toMatch(/loaded +0\n/);
  });

  test("loads the files of a folder in the order of their names", async () => {
    const files = join(folder, "files");
    await mkdir(files);
    for (const [name, as] of [
      ["b", 64_497],
      ["a", 64_496],
      [".hidden", 64_498],
    ] as const)
      await writeFile(join(files, name), `BGP4MP|1445565678|W|192.0.2.1|${as}|198.51.100.0/24\n`);
    const { code, stdout } = await load(files);
    expect(code).toBe(0);
    expect(stdout.match(/^\S+ \(bgpdump\)/gm)).toEqual([`${files}/a (bgpdump)`, `${files}/b (bgpdump)`]);
  });

  test("updates around the end of a month go to both months, each to its own partition", async () => {
    expect((await load("--demo", "400", "--start", "2024-02-29T23:59:50Z")).stdout).toMatch(/loaded +400\n/);
    expect(
      await rowsOf(
        database,
        "backup",
        `select distinct tableoid::regclass as partition, to_char("timestamp", 'YYYY-MM-DD') as day from routing.bgp_updates order by 1`,
      ),
    ).toEqual([
      { partition: "routing.bgp_updates_202402", day: "2024-02-29" },
      { partition: "routing.bgp_updates_202403", day: "2024-03-01" },
    ]);
  });

  test("concurrent loads of overlapping files add each update once", async () => {
    const loads = await Promise.all([load("--demo", "3000"), load("--demo", "3000"), load("--demo", "2000")]);
    expect(loads.map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(await rowsOf(database, "engine", "select count(*) from view_bgpupdates")).toEqual([{ count: 3000 }]);
  });

  test("a cancelled load ends on the server and leaves nothing", async () => {
    await using other = await database.connect("bootstrap");
    await other.query("select pg_advisory_lock($1)", [advisoryLocks.turn]);
    const sessions = async (condition: string): Promise<number> => {
      const { rows } = await other.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity where application_name = 'routeql-load' and ${condition}`,
      );
      return rows[0]!.count;
    };
    const socket = new Socket();
    const config = { connectionString: database.getConnectionUri("loader"), stream: () => socket };
    const cutOff = expect(
      runCommand(loadCommand, ["--demo", "10"], async () => ({ config, close: async () => {} })),
    ).rejects.toThrow("Connection terminated");
    await expect.poll(() => sessions("wait_event = 'advisory'")).toBe(1);
    socket.destroy();
    await cutOff;
    // Another session still holds the lock, so only the client's disconnect ends the statement.
    await expect.poll(() => sessions("true")).toBe(0);
    expect(await rowsOf(database, "owner", served)).toEqual([]);
  });

  test("a load of a silent pipe ends with its connection", { timeout: 120_000 }, async () => {
    await using other = await database.connect("bootstrap");
    const script = `
      import { loadCommand } from "./routing/commands/load.ts";
      const open = async () => ({ config: { connectionString: process.env.DATABASE }, close: async () => {} });
      process.exitCode = await loadCommand(["-"], open).catch((error) => { console.error(error.message); return 3; });`;
    const env = { PATH: process.env["PATH"], DATABASE: database.getConnectionUri("loader") };
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env,
      stdio: ["pipe", "ignore", "pipe"],
    });
    try {
      const [ended, said] = [once(child, "exit"), text(child.stderr)];
      const copying =
        "select pid from pg_stat_activity where application_name = 'routeql-load' and query ~ '^copy' and state = 'active'";
      await expect.poll(() => rowsOf(database, "bootstrap", copying), { timeout: 60_000 }).toHaveLength(1);
      await other.query(`select pg_terminate_backend(pid) from (${copying}) copying`);
      expect(await ended).toEqual([3, null]);
      expect(await said).toContain("terminat");
    } finally {
      child.kill("SIGKILL");
    }
  });
});
