import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { demoMember } from "@routeql/routing/sources/demo";
import { loadInput } from "@routeql/routing/batches/load-input";
import type { LoadStep } from "@routeql/routing/batches/progress";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { commandsOn, rowsOf, type Run } from "./support.ts";

const start = "2024-01-31T23:50:00Z";

describe("load in chunks", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  let load: Run;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-chunks-"));
    database = await startDatabase();
    ({ load } = commandsOn(database));
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true });
  });

  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates");
  });

  const demo = (count: number) => ({ count, seed: 1, start: Date.parse(start) });

  /** Loads generated updates with transactions of `chunkRows` rows. */
  async function loadDemo(count: number, chunkRows: number, onProgress?: (step: LoadStep) => void): Promise<number> {
    await using client = await database.connect("loader");
    const members = async function* () {
      yield demoMember(demo(count));
    };
    return (await loadInput(client, members(), { chunkRows, onProgress })).loaded;
  }

  /** Number and hash of the newest rows of the updates, or of all. */
  const content = (newest: number | null = null): Promise<unknown[]> =>
    rowsOf(
      database,
      "backup",
      `select count(*)::int as rows, md5(string_agg(row::text, e'\\n' order by row::text)) as hash
       from (select to_jsonb(u) - 'position' as row from routing.bgp_updates u order by "timestamp" desc limit ${newest}) newest`,
    );

  test("stores the same rows in chunks and in one", async () => {
    expect(await loadDemo(4_000, 100_000)).toBe(4_000);
    const whole = await content();
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates");
    expect(await loadDemo(4_000, 600)).toBe(4_000);
    expect(await content()).toEqual(whole);
    expect(await loadDemo(4_000, 1_500)).toBe(0);
  });

  test("stores the newest rows first, in a small transaction", async () => {
    const done: number[] = [];
    const newest: Promise<unknown[]>[] = [];
    await using reader = await database.connect("engine");
    const query = `select count(*)::int as rows, max("timestamp")::text as newest from view_bgpupdates`;
    await loadDemo(60_000, 500_000, (step) => {
      if (step.step !== "writing" || done.push(step.done) > 1) return;
      newest.push(reader.query(query).then(({ rows }) => rows as unknown[]));
    });
    const [atFirst] = await Promise.all(newest);
    const [last] = await rowsOf(database, "backup", `select max("timestamp")::text as newest from routing.bgp_updates`);
    // A chunk has all rows of its first second.
    expect(done[0]).toBeGreaterThanOrEqual(4_000);
    expect(done[0]).toBeLessThan(4_100);
    expect(atFirst).toEqual([{ rows: done[0], ...(last as object) }]);
  });

  test("keeps repetitions at one time together, however small the chunks are", async () => {
    const line = "BGP4MP|1445565678|W|192.0.2.1|64496|198.51.100.0/24\n";
    await writeFile(join(folder, "input"), line.repeat(7));
    expect((await load(join(folder, "input"))).stdout).toMatch(/loaded +7\n/);
    await using client = await database.connect("loader");
    const { bgpdumpRecords } = await import("@routeql/routing/formats/bgpdump");
    const lines = async function* () {
      yield Buffer.from(line.repeat(9) + line.replace("678|", "679|"));
    };
    const members = async function* () {
      yield { name: null, format: "bgpdump" as const, records: bgpdumpRecords(lines(), "bgpdump|unknown") };
    };
    expect(await loadInput(client, members(), { chunkRows: 2 })).toMatchObject({ loaded: 3, duplicates: 7 });
  });

  test("shows readers whole chunks only", async () => {
    const done: number[] = [];
    const seen: { rows: number }[] = [];
    await using reader = await database.connect("engine");
    const query = `select count(*)::int as rows from view_bgpupdates`;
    const pending: Promise<unknown>[] = [];
    await loadDemo(12_000, 4_000, (step) => {
      if (step.step !== "writing") return;
      done.push(step.done);
      pending.push(reader.query<{ rows: number }>(query).then(({ rows }) => seen.push(...rows)));
    });
    await Promise.all(pending);
    expect(done).toHaveLength(3);
    for (const { rows } of seen) expect(done).toContain(rows);
    expect(seen).toContainEqual({ rows: 12_000 });
  });

  test("reports rows within a running chunk", async () => {
    const done: number[] = [];
    await loadDemo(35_000, 100_000, (step) => step.step === "writing" && done.push(step.done));
    const [first = 0, , second = 0] = done;
    expect(done).toEqual([first, first + 10_000, second, second + 10_000, 35_000]);
    // A chunk has all rows of its first second.
    expect(first).toBeGreaterThanOrEqual(4_000);
    expect(second).toBeGreaterThanOrEqual(first + 16_000);
    expect(second).toBeLessThan(first + 16_100);
  });

  test("continues after the loader was killed between two chunks", async () => {
    const done: number[] = [];
    expect(await loadDemo(20_000, 4_000, (step) => step.step === "writing" && done.push(step.done))).toBe(20_000);
    const stored = done[1] ?? 0;
    const whole = await content();
    const newest = await content(stored);
    await using owner = await database.connect("owner");
    await owner.query("truncate routing.bgp_updates");
    const script = `
      import pg from "pg";
      import { demoMember } from "./routing/sources/demo.ts";
      import { loadInput } from "./routing/batches/load-input.ts";
      const client = new pg.Client({ connectionString: process.env.DATABASE, application_name: "routeql-load" });
      await client.connect();
      await client.query("set client_connection_check_interval = '1s'");
      const onProgress = (step) => { if (step.step === "writing" && step.done >= 8000) process.kill(process.pid, "SIGKILL"); };
      await loadInput(client, (async function* () { yield demoMember(${JSON.stringify(demo(20_000))}); })(), { chunkRows: 4000, onProgress });`;
    const env = { PATH: process.env["PATH"], DATABASE: database.getConnectionUri("loader") };
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    const [[, signal], said] = await Promise.all([once(child, "exit"), text(child.stderr)]);
    expect([signal, said]).toEqual(["SIGKILL", ""]);
    const sessions = "select pid from pg_stat_activity where application_name = 'routeql-load'";
    await expect.poll(() => rowsOf(database, "bootstrap", sessions), { timeout: 20_000 }).toEqual([]);
    expect(await content()).toEqual(newest);
    const again = await load("--demo", "20000", "--start", start);
    const count = (rows: number): string => rows.toLocaleString("en-US");
    expect(again.stdout).toMatch(new RegExp(`loaded +${count(20_000 - stored)}\n +duplicates +${count(stored)}\n`));
    expect(await content()).toEqual(whole);
  });
});
