import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { pruneCommand } from "../../database/prune/command.ts";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { type CommandResult, commandsOn, rowsOf, runCommand } from "./support.ts";

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
  const partitions = (): Promise<unknown[]> =>
    rowsOf(database, "owner", "select count(*) as count from pg_inherits where inhparent = 'routing.bgp_updates'::regclass");

  beforeAll(async () => {
    database = await startDatabase();
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
  });

  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query(`
      truncate routing.bgp_updates, routing.hijacks, routing.update_links;
      select routing.ensure_partitions('2026-03-01', '2026-03-10');
      insert into routing.hijacks (key, type, prefix, hijack_as, time_detected) values ('k', 'E|0|-|-', '192.0.2.0/24', 64500, '2026-03-01');
      insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key)
      select gen_random_uuid(), '192.0.2.0/24', 64500, 64501, '{64501,64500}', 'a|b', 'A', '2026-03-01 12:00:00'::timestamp + make_interval(days => day, secs => n),
        case when day = 1 and n < 2 then '{k}'::text[] else '{}' end
      from generate_series(0, 9) day, generate_series(0, 4) n`);
  });

  test("a dry run says what would go, and takes nothing away", async () => {
    const before = await days();
    expect(await prune("--keep-days", "7", "--dry-run")).toMatchObject({
      code: 0,
      stdout: "2026-03-01: 5 updates would go\n2026-03-02: 3 updates would go, 2 of hijacks stay\nBefore 2026-03-03: 8 updates of 2 days would go\n",
    });
    expect(await days()).toEqual(before);
  });

  test("old days go with their partitions, what belongs to a hijack stays with its links, and a second run changes nothing", async () => {
    const links = await rowsOf(database, "backup", "select * from routing.update_links order by 2");
    expect(links).toHaveLength(2);
    const [first] = (await partitions()) as { count: number }[];
    expect((await prune("--keep-days", "7")).stdout).toMatch(/Before 2026-03-03: 8 updates of 2 days gone/);
    expect((await days()).slice(0, 2)).toEqual([
      { day: "2026-03-02", rows: 2, hijacked: 2 },
      { day: "2026-03-03", rows: 5, hijacked: 0 },
    ]);
    expect(await partitions()).toEqual([{ count: first!.count - 1 }]);
    expect(await rowsOf(database, "backup", "select * from routing.update_links order by 2")).toEqual(links);
    expect((await prune("--keep-days", "7")).stdout).toBe("Before 2026-03-03: nothing to take away\n");
  });

  test("a day that was taken away can be loaded again, and the triggers and rights of one that was made anew are those of any", async () => {
    await prune("--keep-days", "7");
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-03-01T00:00:00Z")).code).toBe(0);
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-03-02T00:00:00Z")).code).toBe(0);
    await using loader = await database.connect("loader");
    await loader.query(`update routing.bgp_updates set hijack_key = '{}' where hijack_key <> '{}'`);
    expect(await rowsOf(database, "backup", "select * from routing.update_links")).toEqual([]);
    expect((await prune("--keep-days", "7")).stdout).toMatch(/of 2 days gone/);
    expect((await days())[0]).toMatchObject({ day: "2026-03-03" });
  });

  test("a load of the day that is about to go is waited for, and what it links stays", async () => {
    await using loader = await database.connect("loader");
    await loader.query("begin");
    await loader.query(`update routing.bgp_updates set hijack_key = '{k}' where "timestamp" < '2026-03-02'`);
    const pruning = prune("--keep-days", "8");
    await expect
      .poll(() => rowsOf(database, "bootstrap", "select from pg_locks where not granted and relation::regclass::text = 'routing.bgp_updates_20260301'"), {
        timeout: 30_000,
      })
      .toHaveLength(1);
    await loader.query("commit");
    expect((await pruning).code).toBe(0);
    expect((await days())[0]).toEqual({ day: "2026-03-01", rows: 5, hijacked: 5 });
  });

  test.each([
    [[], "--keep-days is missing"],
    [["--keep-days", "0"], "from 1 to 36500"],
    [["--keep-days", "many"], "from 1 to 36500"],
    [["--keep", "7"], "Unknown option '--keep'"],
  ])("%j is not understood", async (args, problem) => {
    const { code, stderr } = await prune(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(problem);
  });
});
