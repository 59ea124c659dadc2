import { mkdtemp, readFile, rm } from "node:fs/promises";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Client, type QueryResult } from "pg";
import { mergeDays } from "@routeql/database/partitions/merge";
import { prune } from "@routeql/database/prune/prune";
import { backUpTo } from "@routeql/cli/database/backup";
import { restoreFrom } from "@routeql/cli/database/restore";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { commandsOn, dropPartitions, partitionsOf, programsOf, rowsOf } from "./support.ts";

const patience = { turn: "0", attempts: 10 } as const;
const functions = new URL("../../database/migrations/0003_routing_functions.sql", import.meta.url);
const views = new URL("../../database/migrations/0004_public_views.sql", import.meta.url);

/** Rows of a few days of February, March and May, some of a hijack; every second day of March is empty. */
const rows = `
  insert into routing.hijacks (key, type, prefix, hijack_as, time_detected) values ('k', 'E|0|-|-', '192.0.2.0/24', 64500, '2026-03-01');
  insert into routing.bgp_updates (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key)
  select gen_random_uuid(), '192.0.2.0/24', 64500, 64501, '{64501,64500}', 'a|b', 'A', day + interval '1 day' - make_interval(secs => n * 7e-6),
    case when n = 1 then '{k}'::text[] else '{}' end
  from unnest('{2026-02-27,2026-02-28,2026-03-01,2026-03-31,2026-05-05}'::date[]) day, generate_series(1, 20) n`;
const days = ["20260227", "20260228", "20260301", "20260315", "20260331", "20260410", "20260505"].map(
  (day) => `bgp_updates_${day}`,
);

describe("a database with daily partitions of updates", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  let before: unknown;

  const content = (): Promise<unknown[]> =>
    rowsOf(
      database,
      "owner",
      `select (select md5(string_agg(u::text, e'\n' order by u::text)) from routing.bgp_updates u) as updates,
         (select md5(string_agg(l::text, e'\n' order by l::text)) from routing.update_links l) as links, (select count(*) from view_bgpupdates) as rows`,
    );

  beforeAll(async () => {
    database = await startDatabase();
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
  });

  // The state of an earlier version: without the migration, and with the function that created partitions of days.
  beforeEach(async () => {
    await using owner = await database.connect("owner");
    const [makeDays] =
      /create function routing\.ensure_partitions[^]*?end \$\$;/.exec(await readFile(functions, "utf8")) ?? [];
    await owner.query(makeDays!.replace("create", "create or replace"));
    await owner.query(
      "delete from migrations.schema_migrations where name >= '0005'; drop table if exists migrations.finished_runs, migrations.own_migrations, auth.revoked_tokens cascade; drop function if exists auth.revoke_tokens() cascade; truncate routing.bgp_updates, routing.hijacks, routing.update_links",
    );
    const [view] = /create view public\.view_hijacks [^;]*;/.exec(await readFile(views, "utf8")) ?? [];
    await owner.query(`do $$ begin
      if exists (select from pg_class where oid = 'public.view_hijacks'::regclass and relkind = 'r') then
        alter table routing.hijacks no inherit public.view_hijacks;
        drop table public.view_hijacks;
        drop function routing.set_hijack_flags, routing.record_hijack_flags, routing.analyse_hijacks cascade;
        ${view}
      end if;
    end $$`);
    await dropPartitions(owner);
    for (const day of days) await owner.query("select routing.ensure_partitions($1, $1)", [day.slice(-8)]);
    await owner.query(rows);
    expect(await partitionsOf(database)).toEqual(days);
    before = await content();
  });

  test("has monthly partitions with the same rows, links, rights and triggers", async () => {
    const said = await database.migrate();
    expect(said).toMatch(/applied migration 0005_/);
    expect(said).toContain("migrate: made one partition of the days of each of 4 months");
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202602", "bgp_updates_202603", "bgp_updates_202605"]);
    expect(await content()).toEqual(before);
    expect(await database.migrate()).toContain("everything was in place");
    // The pattern is a partition that a load creates.
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-06-01T00:00:00Z")).code).toBe(0);
    const shapes = (await rowsOf(
      database,
      "owner",
      `select relname as name, relowner::regrole as owner, relacl as rights,
         (select string_agg(regexp_replace(pg_get_indexdef(indexrelid), '^.* USING', ''), '; ' order by 1) from pg_index i where i.indrelid = c.oid and exists (select from pg_inherits where inhrelid = indexrelid)) as indexes,
         (select string_agg(conname || pg_get_constraintdef(o.oid), '; ' order by conname) from pg_constraint o where o.conrelid = c.oid and contype <> 'p') as checks,
         (select string_agg(tgname, ' ' order by tgname) from pg_trigger t where t.tgrelid = c.oid) as triggers, reltuples >= 0 as analysed
       from pg_inherits join pg_class c on c.oid = inhrelid where inhparent = 'routing.bgp_updates'::regclass order by relname`,
    )) as Record<string, unknown>[];
    const [, , , pattern] = shapes;
    expect(pattern).toMatchObject({ name: "bgp_updates_202606", triggers: "link_deleted link_inserted link_updated" });
    for (const shape of shapes.slice(0, 3)) expect(shape).toEqual({ ...pattern, name: shape["name"], analysed: true });
    await using loader = await database.connect("loader");
    await loader.query(`update routing.bgp_updates set hijack_key = '{}' where "timestamp" < '2026-03-01'`);
    expect(await rowsOf(database, "backup", "select count(*) from routing.update_links")).toEqual([{ count: 3 }]);
  });

  test("restores from a backup of its version, and the job merges its days", async () => {
    const folder = await mkdtemp(join(tmpdir(), "routeql-days-"));
    try {
      const file = join(folder, "days.dump");
      await backUpTo(programsOf(database), file, () => undefined);
      await using owner = await database.connect("owner");
      await owner.query("drop schema routing cascade");
      await restoreFrom(programsOf(database), file, { replace: true, show: () => undefined });
    } finally {
      await rm(folder, { recursive: true });
    }
    expect(await partitionsOf(database)).toEqual(days);
    expect(await content()).toEqual(before);
    const said = await database.migrate();
    expect(said).toMatch(/applied migration 0005_/);
    expect(said).toContain("migrate: made one partition of the days of each of 4 months");
    expect(await content()).toEqual(before);
    expect(await database.migrate()).toContain("everything was in place");
  });

  test("keeps daily partitions of a month until they are merged", async () => {
    await using owner = await database.connect("owner");
    // A role without a limit for idle transactions.
    await using reader = await database.connect("backup");
    await reader.query("begin; select from routing.bgp_updates limit 1");
    expect(await database.migrate()).toContain(
      "left months with partitions of days, because a load, a prune or a long query was in the way",
    );
    await reader.query("rollback");
    expect(await content()).toEqual(before);
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-03-02T00:00:00Z")).code).toBe(0);
    expect((await commandsOn(database).load("--demo", "10", "--start", "2026-06-02T00:00:00Z")).code).toBe(0);
    expect(await partitionsOf(database)).toEqual([...days, "bgp_updates_20260302", "bgp_updates_202606"].toSorted());
    expect(await mergeDays(owner, { patience })).toBe(0);
    expect(await partitionsOf(database)).toEqual([
      "bgp_updates_202602",
      "bgp_updates_202603",
      "bgp_updates_202605",
      "bgp_updates_202606",
    ]);
    expect(await rowsOf(database, "engine", "select count(*) from view_bgpupdates")).toEqual([{ count: 120 }]);
  });

  test("stays complete when the merge is interrupted, and the next run continues", async () => {
    const client = new Client({ connectionString: database.getConnectionUri("owner") });
    client.on("error", () => {}); // The loss of the connection shows at the next statement.
    await client.connect();
    const query = client.query.bind(client) as (text: string, values?: unknown[]) => Promise<QueryResult>;
    let months = 0;
    Object.assign(client, {
      query: (text: string, values?: unknown[]) => {
        if (text.includes("rename to") && ++months === 2)
          (client as Client & { connection: { stream: Socket } }).connection.stream.destroy();
        return query(text, values);
      },
    });
    await expect(mergeDays(client, { patience })).rejects.toThrow(/terminated|destroyed|not queryable/);
    expect(await content()).toEqual(before);
    expect((await partitionsOf(database)).filter((name) => /_\d{6}$/.test(name))).toHaveLength(1);
    await using owner = await database.connect("owner");
    expect(await mergeDays(owner, { patience })).toBe(0);
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202602", "bgp_updates_202603", "bgp_updates_202605"]);
    expect(await content()).toEqual(before);
  });

  test("merges smaller months first and leaves large ones to a later run", async () => {
    await using owner = await database.connect("owner");
    const months: string[] = [];
    const bytes =
      "select sum(pg_total_relation_size(inhrelid))::integer as bytes from pg_inherits where inhrelid::regclass::text ~ '_20260[45]'";
    const { rows: sizes } = await owner.query<{ bytes: number }>(bytes);
    expect(
      await mergeDays(owner, { patience, mostBytes: sizes[0]!.bytes, onMonth: (month) => months.push(month) }),
    ).toBe(2);
    expect(months.toSorted()).toEqual(["2026-04", "2026-05"]);
    expect(await content()).toEqual(before);
  });

  test("prunes by day, then merges the months", async () => {
    await using owner = await database.connect("owner");
    const pruned = await prune(owner, { before: "2026-03-31", dryRun: false });
    expect(pruned.map(({ first, last, removed, kept }) => [first, last, removed, kept])).toEqual([
      ["2026-02-27", "2026-02-27", 19, 1],
      ["2026-02-28", "2026-02-28", 19, 1],
      ["2026-03-01", "2026-03-01", 19, 1],
      ["2026-03-15", "2026-03-15", 0, 0],
    ]);
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202602", "bgp_updates_202603", "bgp_updates_202605"]);
    expect(
      await rowsOf(
        database,
        "backup",
        `select "timestamp"::date as day, count(*) from routing.bgp_updates group by 1 order by 1`,
      ),
    ).toEqual([
      { day: "2026-02-27", count: 1 },
      { day: "2026-02-28", count: 1 },
      { day: "2026-03-01", count: 1 },
      { day: "2026-03-31", count: 20 },
      { day: "2026-05-05", count: 20 },
    ]);
  });
});
