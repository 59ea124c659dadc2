import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type DatabaseRole,
  startDatabase,
  type StartedDatabaseContainer,
} from "../harness/containers/database-container.ts";
import { run } from "../harness/process.ts";
import { commandsOn, jsonRows, rowsOf } from "./support.ts";

describe("the roles of the database", () => {
  let database: StartedDatabaseContainer;

  beforeAll(async () => {
    database = await startDatabase();
    await commandsOn(database).load("--demo", "10");
  });

  afterAll(async () => {
    await database.stop();
  });

  async function attempt(role: DatabaseRole, statement: string): Promise<string> {
    await using client = await database.connect(role);
    try {
      await client.query(statement);
      return "allowed";
    } catch (error) {
      return (error as { code?: string }).code === "42501" ? "not permitted" : String(error);
    }
  }

  // Rights on tables and functions: least-privilege.test.ts.
  test.each<[DatabaseRole, string]>([
    ["metadata", "select * from public.view_hijacks"],
    ["metadata", "select * from auth.users"],
    ["metadata", "create table public.mine (i integer)"],
    ["metadata", "create schema mine"],
    ["engine", "set transaction_read_only = off; delete from view_hijacks"],
    ["engine", "set transaction_read_only = off; create temporary table mine (i integer)"],
    ["engine", "set transaction_read_only = off; create table public.mine (i integer)"],
    ["engine", "select * from pg_authid"],
    ["engine", "set default_transaction_read_only = off; select txid_current()"],
    ["engine", "set default_transaction_read_only = off; do $$ begin end $$"],
    ["sidecar", "truncate users"],
    ["sidecar", "do $$ begin end $$"],
    ["sidecar", "drop table users"],
    ["sidecar", "create table auth.mine (i integer)"],
    ["loader", "insert into migrations.finished_runs (run, finished_at) values ('backup', now())"],
    ["loader", "drop table routing.hijacks"],
    ["backup", "set transaction_read_only = off; insert into auth.organisations (id, name) values ('b', 'B')"],
    ["backup", "select * from pg_authid"],
  ])("%s may not: %s", async (role, statement) => {
    expect(await attempt(role, statement)).toBe("not permitted");
  });

  test("the next migration reverts the engine role's changes to itself", async () => {
    await using engine = await database.connect("engine");
    await engine.query("set default_transaction_read_only = off");
    const role = "alter role routeql_engine";
    await engine.query(`${role} set statement_timeout to 0`);
    await engine.query(`${role} in database routeql set default_transaction_read_only to off`);
    await engine.query("drop owned by routeql_engine");
    await engine.query(`${role} password 'another password'`);
    await expect(database.connect("engine")).rejects.toThrow("password authentication failed");
    await database.migrate();
    const settings =
      "select current_setting('default_transaction_read_only') r, current_setting('statement_timeout') t, (select count(*) > 0 from view_hijacks) v";
    expect(await rowsOf(database, "engine", settings)).toMatchObject([{ r: "on", t: "30s" }]);
    expect(await database.migrate()).toContain("everything was in place");
  });

  test("a statement of the engine cannot fill the disk with temporary files", { timeout: 120_000 }, async () => {
    await using engine = await database.connect("engine");
    // On a busy machine the sort may reach the role's time limit first.
    await engine.query("set statement_timeout = '100s'");
    const sort =
      "select count(*) from (select repeat('x', 900) || value as text from generate_series(1, 1000000) value order by 1 desc offset 1) sorted";
    await expect(engine.query(sort)).rejects.toMatchObject({ code: "53400" });
  });

  test.each<DatabaseRole>(["engine", "sidecar", "loader", "backup", "metadata", "owner"])(
    "%s reaches no other database",
    async (role) => {
      for (const other of ["postgres", "template1"]) {
        const { Client } = await import("pg");
        const client = new Client({ connectionString: database.getConnectionUri(role).replace(/routeql$/, other) });
        await expect(client.connect()).rejects.toThrow("permission denied for database");
      }
    },
  );

  test("the role backup can dump the whole database", async () => {
    const { exitCode, output } = await database.exec(
      ["sh", "-c", "pg_dump -h 127.0.0.1 -U routeql_backup -d routeql | grep -c '^COPY '"],
      { env: { PGPASSWORD: database.getPassword("backup") } },
    );
    expect(exitCode).toBe(0);
    expect(Number(output)).toBeGreaterThanOrEqual(9);
    expect(output.trim()).toMatch(/^\d+$/);
  });

  test.each<[DatabaseRole, string, string]>([
    ["engine", "on", "30s"],
    ["sidecar", "off", "10s"],
    ["loader", "off", "1h"],
    ["backup", "on", "6h"],
  ])("%s starts with read-only %s and at most %s a statement, in UTC", async (role, readOnly, timeout) => {
    const query =
      "select current_setting('default_transaction_read_only') r, current_setting('statement_timeout') t, current_setting('TimeZone') z";
    expect(await rowsOf(database, role, query)).toEqual([{ r: readOnly, t: timeout, z: "UTC" }]);
  });

  test("accepts exactly the 12 valid of the 64 combinations of flags", async () => {
    await using owner = await database.connect("owner");
    const legal: string[] = [];
    for (let bits = 0; bits < 64; bits += 1) {
      const flags = ["active", "resolved", "ignored", "withdrawn", "outdated", "dormant"].filter(
        (_, bit) => (bits >> bit) & 1,
      );
      const values = ["active", "resolved", "ignored", "withdrawn", "outdated", "dormant"].map((flag) =>
        flags.includes(flag),
      );
      const insert = `insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, active, resolved, ignored, withdrawn, outdated, dormant)
        values ('k${bits}', 'E|0|-|-', '192.0.2.0/24', 1, now(), ${values.join(", ")})`;
      await owner.query(insert).then(
        () => legal.push(flags.join(" ")),
        (error: { code?: string }) => expect(error.code).toBe("23514"),
      );
    }
    expect(legal.filter((flags) => !flags.includes("dormant"))).toHaveLength(12);
    expect(legal.filter((flags) => flags.includes("dormant"))).toEqual(["active dormant"]);
    await owner.query("delete from routing.hijacks");
  });

  test.each([
    ["a year and more at once", "'2026-01-01', '2027-06-01'"],
    ["the wrong way round", "'2026-01-02', '2026-01-01'"],
    ["a day of another century", "'2126-01-01', '2126-01-01'"],
    ["null", "null, null"],
  ])("creates no partitions for %s", async (_, range) => {
    await expect(rowsOf(database, "loader", `select routing.ensure_partitions(${range})`)).rejects.toThrow(
      "ensure_partitions takes",
    );
  });

  test("Postgres logs no statement that it rejects for the engine, which cannot change that", async () => {
    for (const role of ["engine", "loader"] as const)
      expect(await attempt(role, `select 'value of the ${role}'::bigint`)).toContain("invalid input syntax");
    expect(await attempt("engine", "set log_min_messages = 'error'")).toBe("not permitted");
    const log = async (): Promise<string> => {
      const { stdout, stderr } = await run("docker", ["logs", database.getId()]);
      return stdout + stderr;
    };
    await expect.poll(log).toContain("value of the loader");
    expect(await log()).not.toContain("value of the engine");
  });

  test("creates one partition per month (UTC), in any session time zone", async () => {
    const make = "select routing.ensure_partitions('2024-11-30 23:59:59.999999', '2025-01-01 00:00:00') as made";
    await using loader = await database.connect("loader");
    await loader.query("set timezone = 'Pacific/Auckland'");
    expect(await jsonRows(loader, make)).toEqual([{ made: 3 }]);
    await loader.query("set timezone = 'America/New_York'");
    expect(await jsonRows(loader, make)).toEqual([{ made: 0 }]);
    expect(
      await rowsOf(
        database,
        "owner",
        `select relname as name, pg_get_expr(relpartbound, c.oid) as bounds from pg_inherits join pg_class c on c.oid = inhrelid
         where inhparent = 'routing.bgp_updates'::regclass and relname ~ '_202[45]' order by 1`,
      ),
    ).toEqual([
      { name: "bgp_updates_202411", bounds: "FOR VALUES FROM ('2024-11-01 00:00:00') TO ('2024-12-01 00:00:00')" },
      { name: "bgp_updates_202412", bounds: "FOR VALUES FROM ('2024-12-01 00:00:00') TO ('2025-01-01 00:00:00')" },
      { name: "bgp_updates_202501", bounds: "FOR VALUES FROM ('2025-01-01 00:00:00') TO ('2025-02-01 00:00:00')" },
    ]);
  });
});
