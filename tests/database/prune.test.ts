import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pruneCommand } from "@routeql/database/prune/command";
import { prune as pruneUpdates } from "@routeql/database/prune/prune";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { type CommandResult, commandsOn, dropPartitions, partitionsOf, rowsOf, runCommand } from "./support.ts";

const now = new Date("2026-03-10T12:00:00Z");

describe("retention of updates", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  const prune = (...args: string[]): Promise<CommandResult> =>
    runCommand(
      (given, open, output) => pruneCommand(given, open, output, now),
      args,
      async () => ({ config: { connectionString: database.getConnectionUri("owner") }, close: async () => {} }),
    );
  const days = (): Promise<unknown[]> =>
    rowsOf(
      database,
      "backup",
      `select "timestamp"::date as day, count(*) as rows, count(*) filter (where hijack_key <> '{}') as hijacked
       from routing.bgp_updates group by 1 order by 1`,
    );
  const waiting = (what: string): Promise<unknown[]> =>
    rowsOf(database, "bootstrap", `select from pg_locks where not granted and ${what}`);

  beforeAll(async () => {
    database = await startDatabase();
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
  });

  // Five updates a day from 2026-02-25 to 2026-03-06; two of a hijack on 2026-02-26 and on 2026-03-02.
  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates, routing.hijacks cascade");
    await dropPartitions(owner);
    await owner.query(`
      select routing.ensure_partitions('2026-02-25', '2026-03-06');
      insert into routing.hijacks (key, type, prefix, hijack_as, time_detected) values ('k', 'E|0|-|-', '192.0.2.0/24', 64500, '2026-03-01');
      insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key)
      select gen_random_uuid(), '192.0.2.0/24', 64500, 64501, '{64501,64500}', 'a|b', 'A', '2026-02-25 12:00:00'::timestamp + make_interval(days => day, secs => n),
        case when day in (1, 5) and n < 2 then '{k}'::text[] else '{}' end
      from generate_series(0, 9) day, generate_series(0, 4) n`);
  });

  test("drops months that have not begun, with their links", async () => {
    await using owner = await database.connect("owner");
    await owner.query(`create table routing.bgp_updates_209901 partition of routing.bgp_updates for values from ('2099-01-01') to ('2099-02-01');
      insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key)
      values (gen_random_uuid(), '192.0.2.0/24', 64500, 64501, '{64501,64500}', 'a|b', 'A', '2099-01-02', '{k}')`);
    const links = (): Promise<unknown[]> =>
      rowsOf(database, "backup", "select count(*)::int as n from routing.update_links");
    expect(await links()).toEqual([{ n: 5 }]);
    expect((await prune("--keep-days", "3650", "--dry-run")).stdout).toContain(
      "2099-01-01 to 2099-01-31: 1 updates would be deleted",
    );
    expect(await partitionsOf(database)).toContain("bgp_updates_209901");
    expect((await prune("--keep-days", "3650")).stdout).toContain("2099-01-01 to 2099-01-31: 1 updates deleted");
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202602", "bgp_updates_202603"]);
    expect(await links()).toEqual([{ n: 4 }]);
    expect((await prune("--keep-days", "3650")).stdout).toContain("no updates to delete");
  });

  test("a dry run reports the matching rows, and deletes none", async () => {
    const before = await days();
    expect(await prune("--keep-days", "7", "--dry-run")).toMatchObject({
      code: 0,
      stdout:
        "2026-02-01 to 2026-02-28: 18 updates would be deleted, kept 2 that belong to hijacks\n" +
        "2026-03-01 to 2026-03-02: 8 updates would be deleted, kept 2 that belong to hijacks\n" +
        "Before 2026-03-03: 26 updates would be deleted\n",
    });
    expect(await days()).toEqual(before);
  });

  test("deletes old days, keeps updates of hijacks with their links, and is idempotent", async () => {
    const links = await rowsOf(database, "backup", "select * from routing.update_links order by 2");
    expect(links).toHaveLength(4);
    expect((await prune("--keep-days", "7")).stdout).toMatch(/Before 2026-03-03: 26 updates deleted/);
    expect((await days()).slice(0, 3)).toEqual([
      { day: "2026-02-26", rows: 2, hijacked: 2 },
      { day: "2026-03-02", rows: 2, hijacked: 2 },
      { day: "2026-03-03", rows: 5, hijacked: 0 },
    ]);
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202602", "bgp_updates_202603"]);
    expect(await rowsOf(database, "backup", "select * from routing.update_links order by 2")).toEqual(links);
    expect((await prune("--keep-days", "7")).stdout).toBe("Before 2026-03-03: no updates to delete\n");
  });

  test("a reduced partition has the rights, indexes and triggers of a loaded one", async () => {
    await prune("--keep-days", "8");
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-01-01T00:00:00Z")).code).toBe(0);
    const [loaded, reduced] = (await rowsOf(
      database,
      "owner",
      `select relname as name, relowner::regrole as owner, relacl as rights,
         (select string_agg(regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', ''), '; ' order by 1) from pg_index i where i.indrelid = c.oid and exists (select from pg_inherits where inhrelid = indexrelid)) as indexes,
         (select string_agg(conname || pg_get_constraintdef(o.oid), '; ' order by conname) from pg_constraint o where o.conrelid = c.oid and contype <> 'p') as checks,
         (select string_agg(tgname, ' ' order by tgname) from pg_trigger t where t.tgrelid = c.oid) as triggers, reltuples >= 0 as analysed
       from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'routing.bgp_updates'::regclass order by relname`,
    )) as [Record<string, unknown>, Record<string, unknown>];
    expect(loaded).toMatchObject({
      name: "bgp_updates_202601",
      triggers: "link_deleted link_inserted link_updated position_given position_renewed",
    });
    expect(reduced).toEqual({ ...loaded, name: "bgp_updates_202602", analysed: true });
  });

  test("at the end of a month drops its partition, and no row of the next one", async () => {
    await using loader = await database.connect("loader");
    await loader.query(`update routing.bgp_updates set hijack_key = '{}' where hijack_key <> '{}'`);
    expect((await prune("--keep-days", "10")).stdout).toBe(
      "2026-02-01 to 2026-02-27: 15 updates deleted\nBefore 2026-02-28: 15 updates deleted\n",
    );
    expect((await prune("--keep-days", "9")).stdout).toBe(
      "2026-02-01 to 2026-02-28: 5 updates deleted\nBefore 2026-03-01: 5 updates deleted\n",
    );
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202603"]);
    expect((await prune("--keep-days", "8")).stdout).toBe(
      "2026-03-01: 5 updates deleted\nBefore 2026-03-02: 5 updates deleted\n",
    );
    expect((await days())[0]).toEqual({ day: "2026-03-02", rows: 5, hijacked: 0 });
  });

  test("deletes rows in batches of any split, also if one moment exceeds a batch", async () => {
    await using owner = await database.connect("owner");
    await owner.query(
      `update routing.bgp_updates set "timestamp" = '2026-03-01 12:00:00' where "timestamp"::date = '2026-03-01'`,
    );
    for (const batch of [3, 2]) {
      const before = batch === 3 ? "2026-03-03" : "2026-03-05";
      const pruned = await pruneUpdates(owner, { before, dryRun: false, batch });
      expect(pruned.at(-1)).toMatchObject({ first: "2026-03-01", removed: batch === 3 ? 8 : 10, kept: 2 });
    }
    expect((await days()).slice(1, 3)).toEqual([
      { day: "2026-03-02", rows: 2, hijacked: 2 },
      { day: "2026-03-05", rows: 5, hijacked: 0 },
    ]);
  });

  test("late updates of a dropped month are loaded into a complete partition", async () => {
    await prune("--keep-days", "7");
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-01-01T00:00:00Z")).stdout).toMatch(
      /loaded +10\n/,
    );
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-02-02T00:00:00Z")).stdout).toMatch(
      /loaded +10\n/,
    );
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202601", "bgp_updates_202602", "bgp_updates_202603"]);
    await using loader = await database.connect("loader");
    await loader.query(`update routing.bgp_updates set hijack_key = '{}' where hijack_key <> '{}'`);
    expect(await rowsOf(database, "backup", "select * from routing.update_links")).toEqual([]);
    expect((await prune("--keep-days", "7")).stdout).toMatch(/Before 2026-03-03: 24 updates deleted/);
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202603"]);
    expect((await days())[0]).toMatchObject({ day: "2026-03-03" });
  });

  test("waits for a writer of a month, and keeps the updates that it links", async () => {
    await using loader = await database.connect("loader");
    await loader.query("begin");
    await loader.query(`update routing.bgp_updates set hijack_key = '{k}' where "timestamp" < '2026-03-01'`);
    const pruning = prune("--keep-days", "9");
    await expect.poll(() => waiting("relation = 'routing.bgp_updates'::regclass"), { timeout: 30_000 }).toHaveLength(1);
    await loader.query("commit");
    expect((await pruning).code).toBe(0);
    expect((await days())[0]).toEqual({ day: "2026-02-25", rows: 5, hijacked: 5 });
  });

  test("keeps a row that is linked during its deletion", async () => {
    await prune("--keep-days", "9");
    await using loader = await database.connect("loader");
    await loader.query("begin");
    await loader.query(`update routing.bgp_updates set hijack_key = '{k}' where "timestamp" = '2026-03-01 12:00:03'`);
    const pruning = prune("--keep-days", "8");
    await expect.poll(() => waiting("locktype = 'transactionid'"), { timeout: 30_000 }).toHaveLength(1);
    await loader.query("commit");
    expect((await pruning).code).toBe(0);
    expect((await days())[1]).toEqual({ day: "2026-03-01", rows: 1, hijacked: 1 });
  });

  test("concurrent runs take turns, and the second deletes nothing", async () => {
    const both = await Promise.all([prune("--keep-days", "7"), prune("--keep-days", "7")]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    expect(new Set(both.map(({ stdout }) => stdout.split("\n").at(-2)))).toEqual(
      new Set(["Before 2026-03-03: 26 updates deleted", "Before 2026-03-03: no updates to delete"]),
    );
  });

  test("concurrent loads, prunes and queries all succeed, and the rest is complete", async () => {
    const { load } = commandsOn(database);
    const starts = ["2026-01-31T23:59:50Z", "2026-02-28T23:59:50Z", "2026-03-02T23:59:50Z", "2026-03-31T23:59:50Z"];
    const done = new AbortController();
    const asking = (async () => {
      await using engine = await database.connect("engine");
      await engine.query("set lock_timeout = '1min'");
      const answers = new Set<number | undefined>();
      const kept = `select count(*)::integer as rows from view_bgpupdates where "timestamp" >= '2026-03-03' and service = 'a|b'`;
      while (!done.signal.aborted) answers.add((await engine.query<{ rows: number }>(kept)).rows[0]?.rows);
      return answers;
    })();
    try {
      const loads = Promise.all(starts.map((start) => load("--demo", "1000", "--start", start)));
      for (let round = 0; round < 3; round++) expect((await prune("--keep-days", "7")).code).toBe(0);
      for (const { stdout } of await loads) expect(stdout).toMatch(/loaded +1,000\n/);
    } finally {
      done.abort();
    }
    expect(await asking).toEqual(new Set([20]));
    await prune("--keep-days", "7");
    const rest = `select count(*) filter (where "timestamp" < '2026-03-03' and hijack_key = '{}') as old, count(*) filter (where service <> 'a|b') as loaded from routing.bgp_updates`;
    const [{ old, loaded }] = (await rowsOf(database, "backup", rest)) as [{ old: number; loaded: number }];
    expect(old).toBe(0);
    // The old updates are in the first ten seconds of the third file, at 20 updates a second; all of the fourth file's are kept.
    expect(loaded).toBeGreaterThan(1500);
    expect(loaded).toBeLessThan(2000);
  });

  test.each([
    [[], "give --keep-days or --keep-audit-days"],
    [["--keep-days", "0"], "from 1 to 36500"],
    [["--keep-days", "many"], "--keep-days must be a whole number from 1 to 36500"],
    [["--keep-days", "7", "--keep-audit-days", "0"], "--keep-audit-days must be a whole number from 1 to 36500"],
    [["--keep", "7"], "Unknown option '--keep'"],
  ])("rejects %j", async (args, problem) => {
    const { code, stderr } = await prune(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
