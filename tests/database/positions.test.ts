import { join } from "node:path";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fillCommand } from "@routeql/database/fill/command";
import { prune } from "@routeql/database/prune/prune";
import { backUpTo } from "@routeql/cli/database/backup";
import { restoreFrom } from "@routeql/cli/database/restore";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { commandsOn, programsOf, type Run, rowsOf, runCommand } from "./support.ts";

interface LogRow {
  readonly key: string;
  readonly position: number;
  readonly generation: number;
}

/** Reads the log page by page after its last position, and starts again where the past changed. */
class Consumer {
  position = 0;
  /** The newest generation of the log when it started; undefined before. */
  known: number | undefined;
  rows = new Map<string, LogRow>();
  readonly #view: string;
  readonly #log: string;
  readonly #page: number;

  constructor(view: string, page: number) {
    this.#view = view;
    this.#log = view.includes("hijacks") ? "hijacks" : "updates";
    this.#page = page;
  }

  /** @param killed whether it dies after storing rows, before it stores its position */
  async read(database: StartedDatabaseContainer, killed: () => boolean = () => false): Promise<void> {
    await using client = await database.connect("engine");
    const generations = async (after: number): Promise<{ newest: number; kept: number }> => {
      const { rows } = await client.query<{ newest: string; kept: string }>(
        `select coalesce(max(generation), 0) as newest, coalesce(min(kept_position), 0) as kept
         from view_log_generations where log = $1 and generation > $2`,
        [this.#log, after],
      );
      return { newest: Number(rows[0]?.newest), kept: Number(rows[0]?.kept) };
    };
    this.known ??= (await generations(0)).newest;
    for (;;) {
      const { rows } = await client.query<{ row: LogRow }>(
        `select to_jsonb(page) as row from (
           select * from ${this.#view} where position > $1 order by position limit ${this.#page}) page`,
        [this.position],
      );
      const last = rows.at(-1)?.row;
      if (last === undefined) return;
      if (last.generation > this.known) {
        const { newest, kept } = await generations(this.known);
        this.known = newest;
        if (this.position > kept) {
          this.position = 0;
          this.rows.clear();
          continue;
        }
      }
      for (const { row } of rows) this.rows.set(row.key, row);
      if (killed()) return;
      this.position = last.position;
    }
  }
}

const random = (seed: number): (() => number) => {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
};

describe("positions of the logs", { timeout: 180_000 }, () => {
  let database: StartedDatabaseContainer;
  let load: Run;
  let detect: Run;
  let folder = "";
  let owner: Client & AsyncDisposable;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-positions-"));
    database = await startDatabase();
    ({ load, detect } = commandsOn(database));
    owner = await database.connect("owner");
    await owner.query("select routing.ensure_partitions('2026-01-01', '2026-03-01')");
  }, 180_000);

  afterAll(async () => {
    await owner?.end();
    await database?.stop();
    await rm(folder, { recursive: true });
  });

  const insert = (service: string, count = 1, time = "2026-02-01"): string =>
    `insert into routing.bgp_updates (key, prefix, origin_as, as_path, service, type, "timestamp")
     select gen_random_uuid(), '192.0.2.0/24', 1, '{1}', '${service}', 'A', '${time}' from generate_series(1, ${count})`;
  const services = async (above = 0): Promise<string[]> =>
    (
      await rowsOf(
        database,
        "engine",
        "select service from view_bgpupdates_log where position > $1 order by position",
        [above],
      )
    ).map((row) => (row as { service: string }).service);
  const last = async (view = "view_bgpupdates_log"): Promise<number> =>
    (
      (await rowsOf(database, "engine", `select coalesce(max(position), 0) as last from ${view}`))[0] as {
        last: number;
      }
    ).last;
  const waiting = (): Promise<unknown[]> =>
    rowsOf(database, "bootstrap", "select from pg_locks where not granted and locktype = 'advisory'");

  test("a second writer waits for the first, and gets the higher position", async () => {
    const before = await last();
    await using first = await database.connect("loader");
    await using second = await database.connect("loader");
    await first.query(`begin; ${insert("first")}`);
    const done = second.query(insert("second"));
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
    expect(await services(before)).toEqual([]);
    await first.query("commit");
    await done;
    expect(await services(before)).toEqual(["first", "second"]);
  });

  test("rows of a statement that names a partition, and rows after a savepoint, wait too", async () => {
    const before = await last();
    await using first = await database.connect("owner");
    await first.query(`begin; savepoint s; ${insert("lost")}; rollback to s`);
    await owner.query(insert("between"));
    await first.query(insert("first").replace("bgp_updates", "bgp_updates_202602"));
    const done = owner.query(insert("second").replace("bgp_updates", "bgp_updates_202602"));
    await expect.poll(waiting, { timeout: 10_000 }).toHaveLength(1);
    await first.query("commit");
    await done;
    expect(await services(before)).toEqual(["between", "first", "second"]);
  });

  test("the loader cannot choose a position, nor move the positions back", async () => {
    await using client = await database.connect("loader");
    await expect(
      client.query(
        `insert into routing.bgp_updates (key, prefix, origin_as, as_path, service, type, "timestamp", position)
         values (gen_random_uuid(), '192.0.2.0/24', 1, '{1}', 's', 'A', '2026-02-01', 1)`,
      ),
    ).rejects.toThrow("permission denied");
    await expect(client.query("select setval('routing.update_positions', 1)")).rejects.toThrow("permission denied");
  });

  test("a changed mark and a changed organisation give a new position, an equal value none", async () => {
    await owner.query(`insert into auth.organisations (id, name) values ('one', 'One') on conflict do nothing;
      insert into routing.configured_prefixes (prefix, origins) values ('198.51.100.0/24', '{1}')`);
    await owner.query(insert("marked").replace("192.0.2.0", "198.51.100.0"));
    await owner.query(insert("other"));
    let before = await last();
    await owner.query(
      "update routing.bgp_updates set handled = true, matched_prefix = '198.51.100.0/24' where service = 'marked'",
    );
    expect(await services(before)).toEqual(["marked"]);
    before = await last();
    await owner.query("update routing.bgp_updates set handled = true where service = 'marked'");
    expect(await services(before)).toEqual([]);
    await owner.query("update routing.configured_prefixes set organisation = 'one' where prefix = '198.51.100.0/24'");
    expect(await services(before)).toEqual(["marked"]);
    before = await last();
    await owner.query("delete from routing.configured_prefixes where prefix = '198.51.100.0/24'");
    await owner.query(
      "insert into routing.configured_prefixes (prefix, origins, organisation) values ('198.51.100.0/24', '{1}', 'one')",
    );
    expect(await services(before)).toEqual(["marked"]);
  });

  test("an operator's change of a hijack waits for no detection, and gets its position at commit", async () => {
    await owner.query(`insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, configured_prefix) values
      ('a', 'E|0|-|-', '198.51.100.0/24', 1, '2026-02-01', '198.51.100.0/24'), ('b', 'E|0|-|-', '198.51.100.0/24', 2, '2026-02-01', null)`);
    const before = await last("view_hijacks_log");
    const keys = async (): Promise<unknown[]> =>
      (
        await rowsOf(database, "engine", "select key from view_hijacks_log where position > $1 order by position", [
          before,
        ])
      ).map((row) => (row as { key: string }).key);
    await using detection = await database.connect("loader");
    await detection.query(`begin; ${insert("held")}; update routing.hijacks set num_peers_seen = 5 where key = 'a'`);
    await using operator = await database.connect("engine");
    await operator.query("begin read write; update view_hijacks set comment = 'seen' where key = 'b'; commit");
    expect(await keys()).toEqual(["b"]);
    await detection.query("commit");
    expect(await keys()).toEqual(["b", "a"]);
    await owner.query("update routing.configured_prefixes set organisation = null where prefix = '198.51.100.0/24'");
    expect(await keys()).toEqual(["b", "a"]);
    expect(
      (await rowsOf(database, "engine", "select key from view_hijacks_log order by position desc limit 1"))[0],
    ).toEqual({ key: "a" });
  });

  test("consumers killed at random end with every row that stays", async () => {
    const chance = random(7);
    const consumers = [7, 100, 1000].flatMap((page) => [
      new Consumer("view_bgpupdates_log", page),
      new Consumer("view_hijacks_log", page),
    ]);
    const writing = new AbortController();
    const readers = consumers.map(async (consumer) => {
      while (!writing.signal.aborted) await consumer.read(database, () => chance() < 0.2);
    });
    const writers = [0, 1, 2].map(async (writer) => {
      await using client = await database.connect("loader");
      for (let turn = 0; turn < 20; turn++) {
        // Ties and late rows: three times in all, each in another month.
        const time = `2026-0${1 + Math.floor(chance() * 2)}-01`;
        await client.query(`begin; ${insert(`w${writer}`, 1 + Math.floor(chance() * 20), time)}`);
        if (chance() < 0.3) await client.query("select pg_sleep(0.01)");
        await client.query(chance() < 0.2 ? "rollback" : "commit");
      }
    });
    const commands = (async () => {
      expect((await load("--demo", "1500", "--start", "2026-02-10")).code).toBe(0);
      expect((await detect("routing/examples/demo.yaml")).stderr).toBe("");
      expect((await load("--demo", "1000", "--start", "2026-01-10")).code).toBe(0);
      expect((await detect("routing/examples/demo.yaml")).stderr).toBe("");
      await prune(owner, { before: "2026-01-10", dryRun: false });
    })();
    try {
      await Promise.all([...writers, commands]);
    } finally {
      writing.abort();
    }
    await Promise.all(readers);
    for (const consumer of consumers) await consumer.read(database);
    const updates = await rowsOf(database, "backup", "select key::text, position from routing.bgp_updates order by 1");
    const hijacks = await rowsOf(database, "backup", "select key, position from view_hijacks_log order by 1");
    expect(updates.length).toBeGreaterThan(2000);
    expect(hijacks.length).toBeGreaterThan(2);
    for (const [index, consumer] of consumers.entries()) {
      const stored = [...consumer.rows.values()].map(({ key, position }) => ({ key, position }));
      const staying = new Set((index % 2 === 0 ? updates : hijacks).map((row) => (row as { key: string }).key));
      const found = stored.filter(({ key }) => staying.has(key)).toSorted((a, b) => (a.key < b.key ? -1 : 1));
      expect(found).toEqual(index % 2 === 0 ? updates : hijacks);
    }
  });

  test("a new timeline begins a generation above all positions, with the one that is kept", async () => {
    const kept = await last();
    await owner.query(`update routing.log_generations set timeline = '00000000'`);
    await owner.query(`${insert("after")}; update routing.hijacks set num_peers_seen = 9 where key = 'a'`);
    const generations = await rowsOf(
      database,
      "engine",
      "select log, kept_position, reason from view_log_generations order by generation desc limit 2",
    );
    expect(generations.map((row) => (row as { log: string }).log).toSorted()).toEqual(["hijacks", "updates"]);
    expect(generations).toContainEqual({ log: "updates", kept_position: kept, reason: "recovery" });
    const [row] = await rowsOf(
      database,
      "engine",
      "select position > generation as above, generation > $1 as later from view_bgpupdates_log order by position desc limit 1",
      [kept],
    );
    expect(row).toEqual({ above: true, later: true });
    expect(await last()).toBeLessThan(2 ** 53);
  });

  test("consumers beyond a restored backup start again, and end with its rows", async () => {
    const file = join(folder, "all.dump");
    const early = new Consumer("view_bgpupdates_log", 500);
    await early.read(database);
    await backUpTo(programsOf(database), file, () => undefined);
    await owner.query(`${insert("gone", 50)}; update routing.hijacks set comment = 'gone' where key = 'a'`);
    const late = [new Consumer("view_bgpupdates_log", 500), new Consumer("view_hijacks_log", 5)];
    for (const consumer of late) await consumer.read(database);
    const given = [await last(), await last("view_hijacks_log")];
    await owner.end();
    await restoreFrom(programsOf(database), file, { replace: true, keepKeys: false, show: () => undefined });
    owner = await database.connect("owner");
    expect(await last("view_hijacks_log")).toBeGreaterThan(given[1]!);
    await owner.query(insert("again"));
    expect(await last()).toBeGreaterThan(given[0]!);
    const updates = await rowsOf(database, "backup", "select key::text, position from routing.bgp_updates order by 1");
    const hijacks = await rowsOf(database, "backup", "select key, position from view_hijacks_log order by 1");
    for (const consumer of [early, ...late]) {
      await consumer.read(database);
      const found = [...consumer.rows.values()].map(({ key, position }) => ({ key, position }));
      expect(found.toSorted((a, b) => (a.key < b.key ? -1 : 1))).toEqual(consumer === late[1] ? hijacks : updates);
    }
  });

  test("updates of before an upgrade get positions below the live ones, and appear when all have", async () => {
    const fill = () =>
      runCommand(fillCommand, [], async () => ({
        config: { connectionString: database.getConnectionUri("owner") },
        close: async () => {},
      }));
    expect(await fill()).toMatchObject({ code: 0, stdout: "Every update has a position already.\n" });
    // As the migration leaves them.
    await owner.query(`alter table routing.bgp_updates disable trigger user;
      update routing.bgp_updates set position = null;
      alter table routing.bgp_updates enable trigger user;
      drop index routing.bgp_updates_position; create index bgp_updates_position on only routing.bgp_updates (position);
      insert into routing.old_updates (first_live) select last_value + 1 from routing.update_positions`);
    await owner.query(insert("live"));
    expect(await services()).toEqual([]);
    await owner.query("create index stopped on routing.bgp_updates_202601 (position)");
    const { rows } = await owner.query<{ all: number }>("select count(*)::int as all from routing.bgp_updates");
    const done = await fill();
    expect(done).toMatchObject({ code: 0, stderr: "" });
    expect(done.stdout).toMatch(
      /^2026-01: [\d,]+ updates\n2026-02: [\d,]+ updates\nview_bgpupdates_log has every update.\n$/,
    );
    const [figures] = await rowsOf(
      database,
      "engine",
      `select count(*)::int as all, count(distinct position)::int as different, count(*) filter (where position > 1000000000)::int as live
       from view_bgpupdates_log`,
    );
    expect(figures).toEqual({ all: rows[0]?.all, different: rows[0]?.all, live: 1 });
    expect((await services()).at(-1)).toBe("live");
    const { rows: valid } = await owner.query<{ valid: boolean }>(
      "select indisvalid as valid from pg_index where indexrelid = 'routing.bgp_updates_position'::regclass",
    );
    expect(valid).toEqual([{ valid: true }]);
    expect(await fill()).toMatchObject({ stdout: "Every update has a position already.\n" });
  });
});
