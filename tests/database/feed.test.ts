import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readDatabaseFacts } from "@routeql/cli/status/database-facts";
import { feedCommand } from "@routeql/routing/commands/feed";
import { followConfiguration } from "@routeql/routing/service/followed-configuration";
import { FakeRisLive } from "../harness/fake-ris-live.ts";
import { repository } from "../harness/repository.ts";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { commandsOn, rowsOf, type Run, runCommand } from "./support.ts";

describe("feed", { timeout: 60_000 }, () => {
  let database: StartedDatabaseContainer;
  let load: Run;
  let detect: Run;
  let folder: string;
  let processes: ChildProcess[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-feed-"));
    database = await startDatabase();
    ({ load, detect } = commandsOn(database));
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    processes = [];
    await using owner = await database.connect("owner");
    await owner.query(
      "truncate routing.bgp_updates, routing.hijacks, routing.configured_prefixes, routing.feed_sources, routing.feed_gaps cascade",
    );
  });

  afterEach(() => {
    for (const process of processes) process.kill("SIGKILL");
  });

  /** Starts the service as a process of its own. */
  function startFeed(settings: Readonly<Record<string, string>>): ChildProcess {
    const child = spawn(process.execPath, ["routing/service/main.ts"], {
      cwd: repository,
      env: {
        PATH: process.env["PATH"],
        DATABASE_URL: database.getConnectionUri("feed"),
        METRICS_PORT: "0",
        ...settings,
      },
      stdio: ["ignore", "ignore", "inherit"],
    });
    processes.push(child);
    return child;
  }

  const startRis = (server: FakeRisLive): ChildProcess =>
    startFeed({ FEED_SOURCES: "ris-live", RIS_LIVE_URL: server.url, RIS_LIVE_PREFIXES: "all" });

  const times = async (): Promise<string[]> =>
    (await rowsOf(database, "engine", 'select "timestamp" as t from view_bgpupdates order by 1')).map((row) =>
      (row as { t: string }).t.slice(11),
    );
  const gaps = (): Promise<unknown[]> =>
    rowsOf(
      database,
      "backup",
      "select reason, time_ended is null as lasts, time_filled is not null as filled from view_feed_gaps order by gap",
    );
  const facts = (): ReturnType<typeof readDatabaseFacts> =>
    readDatabaseFacts(async () => ({
      config: { connectionString: database.getConnectionUri("owner") },
      close: async () => {},
    }));
  const patience = { timeout: 15_000 };

  /** Whole seconds since 1970, a minute ago. */
  const now = (): number => Math.floor(Date.now() / 1000) - 60;
  const clock = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(11, 19);

  test("stores a message that several subscriptions deliver once, and each of two equal ones", async () => {
    await using server = await FakeRisLive.start();
    const feed = startRis(server);
    await expect.poll(() => server.subscriptions, patience).toEqual([{ type: "UPDATE", moreSpecific: true }]);
    const second = now();
    server.send(second + 0.25, { copies: 2 });
    server.send(second + 0.25);
    await expect.poll(times, patience).toEqual([`${clock(second)}.25`, `${clock(second)}.25`]);
    // What arrives while it stops is stored too; the end is in order.
    server.send(second + 0.5);
    await expect.poll(() => server.sockets.length).toBe(1);
    await expect.poll(times, patience).toHaveLength(3);
    feed.kill("SIGTERM");
    expect(await once(feed, "exit")).toEqual([0, null]);
    expect(await rowsOf(database, "backup", "select source, stopped from routing.feed_sources")).toEqual([
      { source: "ris-live", stopped: true },
    ]);
    expect(await gaps()).toEqual([]);
  });

  test("a gap stands for a lost connection and for a killed feed, and files fill it", async () => {
    await using server = await FakeRisLive.start();
    const feed = startRis(server);
    await expect.poll(() => server.subscriptions, patience).toHaveLength(1);
    const second = now();
    server.send(second + 0.8);
    await expect.poll(times, patience).toHaveLength(1);
    for (const socket of server.sockets) socket.terminate();
    await expect.poll(() => server.subscriptions, patience).toHaveLength(2);
    await expect.poll(gaps, patience).toEqual([{ reason: "connection lost", lasts: false, filled: false }]);

    feed.kill("SIGKILL");
    await once(feed, "exit");
    startRis(server);
    await expect.poll(() => server.subscriptions, patience).toHaveLength(3);
    const ended = { reason: "feed ended", lasts: false, filled: false };
    await expect.poll(gaps, patience).toEqual([{ reason: "connection lost", lasts: false, filled: false }, ended]);

    // The socket had half of the second; the file has whole seconds.
    const line = (at: number): string =>
      `BGP4MP|${at}|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`;
    const file = join(folder, "gap");
    await writeFile(file, line(second - 300) + line(second).repeat(2) + line(Math.floor(Date.now() / 1000) + 60));
    const [{ gap }] = (await rowsOf(database, "backup", "select min(gap) as gap from routing.feed_gaps")) as [
      { gap: number },
    ];
    const fill = (): ReturnType<Run> => load("--service", "ripe-ris|rrc00", "--fill-gap", String(gap), file);
    expect(await fill()).toMatchObject({ code: 0, stdout: expect.stringMatching(/loaded +3\n/) as string });
    expect((await times()).filter((time) => time.startsWith(clock(second)))).toEqual([
      clock(second),
      `${clock(second)}.8`,
    ]);
    expect(await gaps()).toEqual([{ reason: "connection lost", lasts: false, filled: true }, ended]);
    expect((await facts()).feeds).toMatchObject([
      { source: "ris-live", gaps: [{ gap: gap + 1, reason: "feed ended" }] },
    ]);
    expect(await fill()).toMatchObject({ code: 2, stderr: expect.stringContaining("is filled already") as string });
  });

  test("refuses to fill a gap from files that do not reach its ends", async () => {
    await using owner = await database.connect("owner");
    await owner.query(`insert into routing.feed_sources values ('ris-live', now() at time zone 'UTC', now() at time zone 'UTC');
      insert into routing.feed_gaps (source, time_started, time_ended, reason) values ('ris-live', '2026-01-01T00:00', '2026-01-01T01:00', 'silent')`);
    const [{ gap }] = (await rowsOf(database, "backup", "select gap from routing.feed_gaps")) as [{ gap: number }];
    const file = join(folder, "short");
    await writeFile(file, `BGP4MP|${Date.UTC(2026, 0, 1, 0, 5) / 1000}|W|192.0.2.1|64496|198.51.100.0/24\n`);
    expect(await load("--fill-gap", String(gap), file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the files end at 2026-01-01T00:05:00; load all of its files") as string,
    });
    expect(await load("--fill-gap", String(gap + 1), file)).toMatchObject({ code: 2 });
    // Status lists the gap of a stack that was off for ten days, and none of months ago.
    await owner.query(`insert into routing.feed_gaps (source, time_started, time_ended, reason)
      values ('ris-live', now() at time zone 'UTC' - interval '10 days', now() at time zone 'UTC' - interval '1 hour', 'feed stopped')`);
    expect((await facts()).feeds).toMatchObject([{ gaps: [{ reason: "feed stopped" }] }]);
  });

  test("a second replica takes over, and a feed that is gone is a gap", async () => {
    await using server = await FakeRisLive.start();
    const first = startRis(server);
    await expect.poll(() => server.subscriptions, patience).toHaveLength(1);
    startRis(server);
    await using backup = await database.connect("backup");
    const sessions = "select count(*)::int as count from pg_stat_activity where application_name = 'routeql-feed'";
    await expect.poll(async () => (await backup.query<{ count: number }>(sessions)).rows[0]?.count, patience).toBe(2);
    expect(server.sockets).toHaveLength(1);
    first.kill("SIGKILL");
    await expect.poll(() => server.subscriptions, { timeout: 10_000 }).toHaveLength(2);
    await expect.poll(gaps, patience).toEqual([{ reason: "feed ended", lasts: false, filled: false }]);
    // A lost machine keeps its session for as long as Postgres waits for its keep-alives.
    await using feed = await database.connect("feed");
    const settings = ["idle", "interval", "count"].map(
      (name) => `current_setting('tcp_keepalives_${name}') as ${name}`,
    );
    expect((await feed.query(`select ${settings.join()}`)).rows).toEqual([{ idle: "3", interval: "1", count: "3" }]);
    await using owner = await database.connect("owner");
    for (const process of processes) process.kill("SIGKILL");
    await owner.query("update routing.feed_sources set beat_at = beat_at - interval '2 minutes'");
    expect(await gaps()).toContainEqual({ reason: "no feed", lasts: true, filled: false });
  });

  test("a source that leaves the settings ends its gap, and its earlier gaps stay", async () => {
    await using owner = await database.connect("owner");
    await owner.query(`insert into routing.feed_sources (source, covered_until, beat_at, stopped) values
        ('exabgp-stopped', '2026-01-01', '2026-01-01', true), ('exabgp-killed', '2026-01-01', '2026-01-01', false), ('exabgp-broken', '2026-01-01', '2026-01-01', true);
      insert into routing.feed_gaps (source, time_started, time_ended, reason) values
        ('exabgp-stopped', '2025-12-01', '2025-12-02', 'silent'), ('exabgp-broken', '2026-01-01', null, 'connection lost')`);
    // Another feed has it, and is stopping.
    await owner.query("insert into routing.feed_sources values ('exabgp-held', '2026-01-01', '2026-01-01', true)");
    await using other = await database.connect("feed");
    await other.query("select pg_advisory_lock(7201010, hashtext('exabgp-held'))");
    await using server = await FakeRisLive.start();
    startRis(server);
    const sources = async (): Promise<unknown[]> =>
      rowsOf(database, "backup", "select source from routing.feed_sources order by source");
    await expect.poll(sources, patience).toEqual([{ source: "exabgp-held" }, { source: "ris-live" }]);
    expect(
      await rowsOf(
        database,
        "backup",
        "select source, reason, time_ended > '2026-01-02' as ends_now from view_feed_gaps where source <> 'exabgp-held' order by source",
      ),
    ).toEqual([
      { source: "exabgp-broken", reason: "connection lost", ends_now: true },
      { source: "exabgp-killed", reason: "no feed", ends_now: true },
      { source: "exabgp-stopped", reason: "silent", ends_now: false },
    ]);
  });

  test("keeps what arrives while the database is away, and no gap is needed", async () => {
    await using server = await FakeRisLive.start();
    startRis(server);
    await expect.poll(() => server.subscriptions, patience).toHaveLength(1);
    const second = now();
    server.send(second + 0.1);
    await expect.poll(times, patience).toHaveLength(1);
    await using owner = await database.connect("bootstrap");
    await owner.query(
      "alter role routeql_feed nologin; select pg_terminate_backend(pid) from pg_stat_activity where usename = 'routeql_feed'",
    );
    for (let count = 1; count <= 100; count += 1) server.send(second + count, { prefix: `192.0.2.${count}/32` });
    await owner.query("alter role routeql_feed login");
    await expect.poll(times, patience).toHaveLength(101);
    expect(await gaps()).toEqual([]);
    expect(server.subscriptions).toHaveLength(1);
  });

  test("reads exabgp, connecting to its process", async () => {
    const sockets: Socket[] = [];
    const exabgp = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
    await once(exabgp, "listening");
    const address = `127.0.0.1:${(exabgp.address() as AddressInfo).port}`;
    startFeed({ FEED_SOURCES: "exabgp", EXABGP_ADDRESS: address, EXABGP_COLLECTOR: "edge" });
    await expect.poll(() => sockets, patience).toHaveLength(1);
    const message = {
      exabgp: "5.0.0",
      time: now() + 0.123456,
      type: "update",
      neighbor: {
        address: { peer: "192.0.2.1" },
        asn: { peer: 64_496 },
        direction: "receive",
        message: { update: { withdraw: { "ipv4 unicast": [{ nlri: "198.51.100.0/24" }] } } },
      },
    };
    sockets[0]!.write(`${JSON.stringify(message)}\n`);
    await expect
      .poll(() => rowsOf(database, "engine", "select type, peer_asn, service from view_bgpupdates"), patience)
      .toEqual([{ type: "W", peer_asn: 64_496, service: "exabgp|edge" }]);
    sockets[0]!.destroy();
    exabgp.close();
  });

  test("applies the configuration of a file, and each change of it, while it runs", async () => {
    await using server = await FakeRisLive.start();
    const file = join(folder, "configuration.yaml");
    const configure = (origin: number): Promise<void> =>
      writeFile(file, `prefixes:\n  - { prefix: 198.51.100.0/24, origins: [${origin}] }\n`);
    await configure(64_501);
    const feed = startFeed({ FEED_SOURCES: "ris-live", RIS_LIVE_URL: server.url, CONFIGURATION_FILE: file });
    const subscription = [{ type: "UPDATE", moreSpecific: true, prefix: ["198.51.100.0/24"] }];
    await expect.poll(() => server.subscriptions, { timeout: 30_000 }).toEqual(subscription);
    server.send(now() + 0.5);
    const hijacks = (): Promise<unknown[]> =>
      rowsOf(database, "engine", "select prefix, hijack_as, active, outdated from view_hijacks");
    const hijack = { prefix: "198.51.100.0/24", hijack_as: 64_500 };
    await expect.poll(hijacks, patience).toEqual([{ ...hijack, active: true, outdated: false }]);
    // The AS of the announcement becomes legitimate, so the record is outdated.
    await configure(64_500);
    await expect.poll(hijacks, { timeout: 30_000 }).toEqual([{ ...hijack, active: false, outdated: true }]);
    // A file with an error changes nothing.
    await writeFile(file, "prefixes: none\n");
    server.send(now() + 0.75);
    await expect.poll(times, patience).toHaveLength(2);
    expect(await rowsOf(database, "backup", "select prefix::text from routing.configured_prefixes")).toEqual([
      { prefix: "198.51.100.0/24" },
    ]);
    feed.kill("SIGTERM");
    expect(await once(feed, "exit")).toEqual([0, null]);
  });

  test("marks silent hijacks as dormant while no updates arrive", async () => {
    const file = join(folder, "silent");
    await writeFile(file, `BGP4MP|${now()}|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`);
    expect(await load(file)).toMatchObject({ code: 0 });
    const configuration = join(folder, "silent.yaml");
    await writeFile(configuration, "prefixes:\n  - { prefix: 198.51.100.0/24, origins: [64501] }\n");
    expect(await detect("--replace", configuration)).toMatchObject({ code: 0 });
    const dormant = (): Promise<unknown[]> => rowsOf(database, "engine", "select active, dormant from view_hijacks");
    expect(await dormant()).toEqual([{ active: true, dormant: false }]);
    await using owner = await database.connect("owner");
    await owner.query("update routing.hijacks set time_last = time_last - interval '2 days'");
    await using server = await FakeRisLive.start();
    startRis(server);
    await expect.poll(dormant, patience).toEqual([{ active: true, dormant: true }]);
    expect(await times()).toHaveLength(1);
  });

  test("applies its file again when the database has another configuration, as after a restore", async () => {
    const file = join(folder, "followed.yaml");
    await writeFile(file, "prefixes:\n  - { prefix: 198.51.100.0/24, origins: [64500] }\n");
    await using owner = await database.connect("owner");
    const configured = (): Promise<unknown[]> =>
      rowsOf(database, "backup", "select prefix::text from routing.configured_prefixes");
    const stopping = new AbortController();
    const following = followConfiguration(
      {
        file,
        connect: () => database.connect("feed"),
        log: { info: () => {}, warn: () => {}, error: () => {} },
        onState: () => {},
        onApplied: () => {},
        isActive: () => true,
        interval: 50,
      },
      stopping.signal,
    );
    try {
      await expect.poll(configured, patience).toEqual([{ prefix: "198.51.100.0/24" }]);
      await owner.query("truncate routing.configured_prefixes, routing.detection cascade");
      await expect.poll(configured, patience).toEqual([{ prefix: "198.51.100.0/24" }]);
      const other = join(folder, "other.yaml");
      await writeFile(other, "prefixes:\n  - { prefix: 203.0.113.0/24, origins: [64500] }\n");
      expect((await detect("--replace", other)).code).toBe(0);
      await expect.poll(configured, patience).toEqual([{ prefix: "198.51.100.0/24" }]);
    } finally {
      stopping.abort();
      await following;
    }
  });

  test("a replay adds the rows of a load", async () => {
    const line = (time: string, prefix: string): string =>
      `BGP4MP_ET|${time}|A|192.0.2.1|64496|${prefix}|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`;
    const file = join(folder, "replay");
    await writeFile(
      file,
      line("1445565690.5", "198.51.100.0/24") +
        line("1445565680", "203.0.113.0/24").repeat(2) +
        line("1445565680", "192.0.2.0/24"),
    );
    const open = async () => ({
      config: { connectionString: database.getConnectionUri("loader") },
      close: async () => {},
    });
    const replayed = await runCommand(feedCommand, ["--replay", file, "--speed", "100"], open);
    expect(replayed).toEqual({ code: 0, stdout: "replayed  4 updates\nrows      4 new\n", stderr: "" });
    expect((await load(file)).stdout).toMatch(/loaded +0\n +duplicates +4\n/);
    expect(await runCommand(feedCommand, ["--speed", "0"], open)).toMatchObject({ code: 2 });
  });

  test("a replay continues after the database has ended its connection", async () => {
    const lines = Array.from(
      { length: 60 },
      (_, second) =>
        `BGP4MP_ET|${1_445_565_680 + second}|A|192.0.2.1|64496|198.51.100.0/24|64496 64500|IGP|192.0.2.1|0|0||NAG||\n`,
    );
    const file = join(folder, "interrupted");
    await writeFile(file, lines.join(""));
    const open = async () => ({
      config: { connectionString: database.getConnectionUri("loader") },
      close: async () => {},
    });
    const running = runCommand(feedCommand, ["--replay", file, "--speed", "20"], open);
    const stored = (): Promise<unknown[]> => rowsOf(database, "engine", "select timestamp from view_bgpupdates");
    await expect.poll(async () => (await stored()).length, { timeout: 20_000 }).toBeGreaterThan(0);
    const ended = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'routeql-replay'";
    expect(await rowsOf(database, "loader", ended)).toHaveLength(1);
    expect(await running).toMatchObject({ code: 0, stderr: "" });
    expect(await stored()).toHaveLength(lines.length);
  });

  test("the clock of a replay is that of its record", async () => {
    const file = join(folder, "configuration");
    await writeFile(file, "prefixes:\n  - { prefix: 198.51.100.0/24, origins: [64501] }\n");
    expect(await detect("--replace", file)).toMatchObject({ code: 0 });
    const line = (seconds: number, peer: number, origin: number): string =>
      `BGP4MP_ET|${1_777_888_800 + seconds}|A|192.0.2.${peer}|6449${peer}|198.51.100.0/24|6449${peer} ${origin}|IGP|192.0.2.1|0|0||NAG||\n`;
    const record = join(folder, "record");
    const open = async () => ({
      config: { connectionString: database.getConnectionUri("loader") },
      close: async () => {},
    });
    await writeFile(record, line(0, 1, 64_500) + line(1, 2, 64_501));
    expect(await runCommand(feedCommand, ["--replay", record, "--speed", "100"], open)).toMatchObject({ code: 0 });
    const dormant = (): Promise<unknown[]> => rowsOf(database, "engine", "select active, dormant from view_hijacks");
    expect(await dormant()).toEqual([{ active: true, dormant: false }]);
    // A day later in the record, which takes a second here.
    await writeFile(record, line(86_400, 2, 64_501) + line(90_000, 3, 64_501));
    expect(await runCommand(feedCommand, ["--replay", record, "--speed", "100000"], open)).toMatchObject({ code: 0 });
    expect(await dormant()).toEqual([{ active: true, dormant: true }]);
  });

  test("autoignore follows the machine's clock in a replay of an older record", async () => {
    const file = join(folder, "autoignore.yaml");
    await writeFile(
      file,
      `prefixes: { own: &own 198.51.100.0/24 }
asns: { origin: &origin 64501 }
rules:
- prefixes: [*own]
  origin_asns: [*origin]
autoignore: { quiet: { thres_num_peers_seen: 2, thres_num_ases_infected: 2, interval: 600, prefixes: [*own] } }
`,
    );
    expect(await detect("--replace", file)).toMatchObject({ code: 0 });
    const line = (seconds: number, peer: number, origin: number): string =>
      `BGP4MP_ET|${1_777_975_200 + seconds}|A|192.0.2.${peer}|6449${peer}|198.51.100.0/24|6449${peer} ${origin}|IGP|192.0.2.1|0|0||NAG||\n`;
    const record = join(folder, "older");
    const open = async () => ({
      config: { connectionString: database.getConnectionUri("loader") },
      close: async () => {},
    });
    const replay = async (...lines: readonly string[]): Promise<unknown[]> => {
      await writeFile(record, lines.join(""));
      expect(await runCommand(feedCommand, ["--replay", record, "--speed", "100"], open)).toMatchObject({ code: 0 });
      return rowsOf(database, "engine", "select active, ignored from view_hijacks");
    };
    expect(await replay(line(0, 1, 64_500))).toEqual([{ active: true, ignored: false }]);
    await using owner = await database.connect("owner");
    await owner.query("update routing.hijacks set time_detected = time_detected - interval '1 hour'");
    expect(await replay(line(1, 2, 64_501))).toEqual([{ active: false, ignored: true }]);
  });
});
