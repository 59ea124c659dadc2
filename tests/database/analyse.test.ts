import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { rowsOf } from "./support.ts";

describe("the planner's statistics of the updates", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;

  beforeAll(async () => {
    database = await startDatabase();
    await using owner = await database.connect("owner");
    await owner.query("select routing.ensure_partitions('2026-01-01', '2026-02-28')");
    // Disables autovacuum, because its own analyse would change the counts.
    for (const month of ["202601", "202602"])
      await owner.query(`alter table routing.bgp_updates_${month} set (autovacuum_enabled = off)`);
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
  });

  async function load(month: string, updates: number): Promise<void> {
    await using owner = await database.connect("owner");
    await owner.query(
      `insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp")
       select gen_random_uuid(), '192.0.2.0/24', 64500, 64501, '{64501,64500}', 'a|b', 'A', $1::timestamp + n * interval '1 second' from generate_series(1, $2) n`,
      [`${month}-01`, updates],
    );
  }

  /** Number of analyses of the whole table and of each month, requested by the loader. */
  async function analysed(): Promise<unknown> {
    await rowsOf(database, "loader", "select routing.analyse_updates()");
    const counts = `select coalesce(substring(relname from '\\d+'), 'whole') as what, analyze_count as times from pg_stat_all_tables where relname ~ '^bgp_updates' order by relname`;
    const rows = (await rowsOf(database, "owner", counts)) as { what: string; times: number }[];
    return Object.fromEntries(rows.map(({ what, times }) => [what, times]));
  }

  test("are renewed for partitions that have grown by 10 %, and for no others", async () => {
    expect(await analysed()).toEqual({ whole: 0, 202601: 0, 202602: 0 });
    await load("2026-01", 40_000);
    await load("2026-02", 20_000);
    // Analysing the whole table includes each month.
    const first = { whole: 1, 202601: 2, 202602: 2 };
    expect(await analysed()).toEqual(first);
    expect(await analysed()).toEqual(first);
    await load("2026-02", 1000);
    expect(await analysed()).toEqual(first);
    await load("2026-02", 3000);
    expect(await analysed()).toEqual({ ...first, 202602: 3 });
    expect(
      await rowsOf(database, "owner", "select reltuples from pg_class where relname = 'bgp_updates_202602'"),
    ).toEqual([{ reltuples: 24_000 }]);
  });

  test("are renewed as a whole after 10 % of it was deleted", async () => {
    await using owner = await database.connect("owner");
    await owner.query("drop table routing.bgp_updates_202602");
    expect(await analysed()).toEqual({ whole: 2, 202601: 3 });
  });
});
