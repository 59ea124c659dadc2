import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm, stat, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { promisify } from "node:util";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exchange, partitionsBefore } from "@routeql/database/partitions/partitions";
import { backUpTo, dumpTo } from "@routeql/cli/database/backup";
import { RelaySocket } from "@routeql/cli/database/postgres-socket";
import { restoreFrom } from "@routeql/cli/database/restore";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { commandsOn, programsOf, rowsOf } from "./support.ts";

const silent = (): void => undefined;
const example = "routing/examples/demo.yaml";

/** Every row of every table and all privileges, as comparable text. */
async function contentOf(database: StartedDatabaseContainer): Promise<Record<string, unknown>> {
  const tables = (await rowsOf(
    database,
    "backup",
    "select table_schema || '.' || table_name as name from information_schema.tables where table_schema in ('auth', 'migrations', 'public', 'routing') and table_name not in ('log_generations', 'hijack_positions', 'view_log_generations') order by 1",
  )) as { name: string }[];
  const rows: Record<string, unknown> = {};
  for (const { name } of tables) {
    // Each load and detection changes its time.
    // A restore begins a generation, with new positions for hijacks.
    const row =
      name === "migrations.finished_runs"
        ? "t.run"
        : name.endsWith("_log")
          ? "(to_jsonb(t) - '{position,generation}'::text[])::text"
          : "t::text";
    rows[name] = await rowsOf(
      database,
      "backup",
      `select count(*) as rows, md5(string_agg(${row}, e'\\n' order by ${row})) as hash from ${name} t`,
    );
  }
  // Without the flags of listening engines, which the migrate job creates with the triggers of notices.
  const rights = await rowsOf(
    database,
    "owner",
    `select 'schema ' || nspname as what, pg_get_userbyid(nspowner) as owner, (select array_agg(a order by a) from unnest(nspacl::text[]) a) as rights
       from pg_namespace where nspname in ('auth', 'migrations', 'public', 'routing')
     union all select relname, pg_get_userbyid(relowner), (select array_agg(a order by a) from unnest(relacl::text[]) a)
       from pg_class where relnamespace::regnamespace::text in ('auth', 'migrations', 'public', 'routing') and relkind in ('r', 'p', 'v', 'S') and relname !~ '^listening_'
     union all select proname, pg_get_userbyid(proowner), (select array_agg(a order by a) from unnest(proacl::text[]) a)
       from pg_proc where pronamespace::regnamespace::text in ('auth', 'public', 'routing')
     order by 1`,
  );
  return { rows, rights };
}

describe("backup and restore", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  let file = "";
  let before: Record<string, unknown> = {};

  const drop = async (): Promise<void> => {
    await using owner = await database.connect("owner");
    await owner.query(
      "drop schema auth, migrations, routing cascade; drop schema public cascade; create schema public",
    );
  };
  const restore = (from: string, replace = false, keepKeys = false): Promise<string[]> =>
    restoreFrom(programsOf(database), from, { replace, keepKeys, show: silent });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-backup-"));
    file = join(folder, "all.dump");
    database = await startDatabase();
    const { load, detect } = commandsOn(database);
    expect((await load("--demo", "3000")).code).toBe(0);
    expect((await detect(example)).code).toBe(0);
    await using sidecar = await database.connect("sidecar");
    await sidecar.query(`insert into auth.users (id, email, name, password_hash, role)
      select 'user' || n, n || '@example.net', 'N', '$argon2id$v=19$' || md5(n::text), 'viewer' from generate_series(1, 3) n`);
    await sidecar.query(
      "insert into auth.audit_events (event, outcome) select 'login', 'success' from generate_series(1, 5)",
    );
    before = await contentOf(database);
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("only its owner can read the file, which appears when it is complete", async () => {
    const seen: number[] = [];
    const bytes = await backUpTo(programsOf(database), file, (count) => seen.push(count));
    expect(await stat(file)).toMatchObject({ size: bytes });
    expect(seen.at(-1)).toBe(bytes);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(folder)).toEqual(["all.dump"]);
    await expect(backUpTo(programsOf(database), file, silent)).rejects.toThrow("exists already");
  });

  test("reports a missing folder and a failed dump, and leaves no file", async () => {
    await expect(backUpTo(programsOf(database), join(folder, "none", "a.dump"), silent)).rejects.toThrow(
      "the folder does not exist",
    );
    const wrong = programsOf(database, () => "wrong");
    await expect(backUpTo(wrong, join(folder, "b.dump"), silent)).rejects.toMatchObject({
      message: "The backup failed (psql ended with 2)",
      lastLines: expect.arrayContaining([expect.stringContaining("password authentication failed")]),
    });
    expect(await readdir(folder)).toEqual(["all.dump"]);
  });

  test("a target that fails ends the backup with its error", async () => {
    const full = new Writable({
      write: (_chunk, _encoding, done) => done(Object.assign(new Error("no space left on device"), { code: "ENOSPC" })),
    });
    await expect(dumpTo(programsOf(database), full, silent)).rejects.toThrow("no space left on device");
  });

  test("a cancelled backup leaves nothing", async () => {
    const stop = new AbortController();
    const given = { ...programsOf(database), signal: stop.signal };
    await expect(backUpTo(given, join(folder, "c.dump"), () => stop.abort(new Error("stopped")))).rejects.toThrow(
      "stopped",
    );
    await expect(backUpTo(given, join(folder, "c.dump"), silent)).rejects.toThrow("stopped");
    const sessions = "select pid from pg_stat_activity where usename = 'routeql_backup' and pid <> pg_backend_pid()";
    await expect.poll(() => rowsOf(database, "bootstrap", sessions), { timeout: 30_000 }).toEqual([]);
    expect(await readdir(folder)).toEqual(["all.dump"]);
  });

  test("keeps existing data unless --replace is given", async () => {
    await expect(restore(file)).rejects.toThrow(
      "The database is not empty: it has routing updates, hijacks, configured prefixes, accounts",
    );
    expect(await contentOf(database)).toEqual(before);
  });

  test("names own tables of an empty database, and deletes them only with --replace", async () => {
    await drop();
    await using owner = await database.connect("owner");
    await owner.query("create table ledger (entry text); insert into ledger values ('kept')");
    await expect(restore(file)).rejects.toThrow("The database is not empty: it has your tables public.ledger");
    expect(await rowsOf(database, "owner", "select entry from ledger")).toEqual([{ entry: "kept" }]);
    await restore(file, true);
    expect(await contentOf(database)).toEqual(before);
  });

  test("a backup restores rows, permissions and password hashes after a total loss", async () => {
    await drop();
    await restore(file);
    expect(await contentOf(database)).toEqual(before);
    expect(await database.migrate()).toBe(
      "migrate: set the triggers that announce changes\nmigrate: done, 1 changes\n",
    );
    expect(await rowsOf(database, "sidecar", "select password_hash as hash from users where id = 'user1'")).toEqual([
      { hash: "$argon2id$v=19$c4ca4238a0b923820dcc509a6f75849b" },
    ]);
    // Partitions, triggers and functions work as before: loading the same file finds all its rows.
    expect((await commandsOn(database).load("--demo", "3000")).stdout).toMatch(/duplicates +3,000/);
    expect((await commandsOn(database).detect(example)).code).toBe(0);
    expect(await contentOf(database)).toEqual(before);
  });

  test("a backup that starts during the replacement of a partition includes its rows", async () => {
    await using owner = await database.connect("owner");
    const [partition] = await partitionsBefore(owner);
    // Locks the table against readers until the backup reaches it.
    await owner.query("begin; lock table only routing.bgp_updates in access exclusive mode");
    const during = join(folder, "during.dump");
    const backup = backUpTo(programsOf(database), during, silent);
    const waiting = "select pid from pg_locks where not granted and relation = 'routing.bgp_updates'::regclass";
    await expect.poll(() => rowsOf(database, "bootstrap", waiting), { timeout: 60_000 }).toHaveLength(1);
    await exchange(owner, partition!, "all");
    await owner.query("commit");
    await backup;
    await restore(during, true);
    expect(await contentOf(database)).toEqual(before);
  });

  test("a truncated or invalid file leaves the database unchanged", async () => {
    const cut = join(folder, "cut.dump");
    const whole = await readFile(file);
    await writeFile(cut, whole);
    await truncate(cut, whole.length - 2000);
    await expect(restore(cut, true)).rejects.toThrow("The restore failed");
    const other = join(folder, "other.dump");
    await writeFile(other, "-- a script\n");
    await expect(restore(other, true)).rejects.toThrow("is not a backup");
    await expect(restore(join(folder, "none.dump"), true)).rejects.toThrow("cannot be read");
    expect(await contentOf(database)).toEqual(before);
  });

  test("a backup replaces another state, and one of a later version is rejected", async () => {
    await using owner = await database.connect("owner");
    await owner.query("delete from auth.users; create table routing.of_tomorrow (i integer)");
    await owner.query("insert into migrations.schema_migrations (name, run_on) values ('9999_of_tomorrow', now())");
    const later = join(folder, "later.dump");
    await backUpTo(programsOf(database), later, silent);
    await restore(file, true);
    expect(await contentOf(database)).toEqual(before);
    await expect(restore(later, true)).rejects.toThrow(
      "comes from a later version: this checkout has no migration 9999_of_tomorrow",
    );
    expect(await contentOf(database)).toEqual(before);
  });

  test("a restore revives no disabled account, changed password or retired key, and reports each", async () => {
    await restore(file, true);
    await using owner = await database.connect("owner");
    await owner.query(`insert into auth.signing_keys (id, algorithm, public_jwk, private_key_encrypted, published_at, signs_from)
      select 'key' || n, 'ES256', '{}', 'secret', now(), now() from generate_series(1, 2) n`);
    await owner.query(`insert into auth.users (id, provider, email, name, role)
      values ('ldap-5', 'ldap', '5@example.net', 'N', 'viewer'), ('user6', 'local', '6@example.net', 'N', 'viewer')`);
    const older = join(folder, "older.dump");
    await backUpTo(programsOf(database), older, silent);
    await owner.query(`update auth.users set disabled = true, updated_at = now() where id = 'user1';
      update auth.users set password_hash = 'changed', updated_at = now() where id = 'user2';
      update auth.users set role = 'pending', updated_at = now() where id = 'user3';
      delete from auth.users where id in ('ldap-5', 'user6');
      insert into auth.users (id, email, name, role) values ('user4', E'4\\u001b[31m@example.net', 'N', 'viewer');
      update auth.signing_keys set retired_at = now(), private_key_encrypted = '' where id = 'key1'`);
    const said = await restore(older, true, true);
    expect(said).toEqual([
      "Kept disabled: 1@example.net.",
      "Kept with the password that was set after the backup: 2@example.net.",
      "Signing keys withdrawn, so their tokens end: key1.",
      "Came back with the password of the backup; check these accounts: 6@example.net.",
      "Came back as accounts of the directory; check these accounts: 5@example.net.",
      "Has the role of the backup again; check these accounts: 3@example.net (viewer, was pending).",
      "Not in the backup, so these accounts are gone: 4\\u{1b}[31m@example.net.",
    ]);
    const state = () =>
      rowsOf(
        database,
        "sidecar",
        `select disabled, password_hash = 'changed' as changed, (select string_agg(id, ' ') from signing_keys where retired_at is null) as keys
         from users where id in ('user1', 'user2') order by id`,
      );
    expect(await state()).toEqual([
      { disabled: true, changed: false, keys: "key2" },
      { disabled: false, changed: true, keys: "key2" },
    ]);
    // Without --keep-keys no key of the backup signs or verifies.
    expect(await restore(older, true)).toContain("Signing keys withdrawn, so their tokens end: key1, key2.");
    expect(await state()).toMatchObject([{ keys: null }, { keys: null }]);
    await drop();
    expect(await restore(older)).toEqual(["Signing keys withdrawn, so their tokens end: key1, key2."]);
  });

  test("Postgres' own tools can read the file", async () => {
    await database.copyFilesToContainer([{ source: file, target: "/tmp/all.dump", mode: 0o444 }]);
    const { stdout } = await promisify(execFile)("docker", [
      "exec",
      database.getId(),
      "pg_restore",
      "--list",
      "/tmp/all.dump",
    ]);
    expect(stdout).toContain("TABLE DATA auth users");
    expect(stdout).not.toContain("hdb_catalog");
  });

  test("a client connects through a program beside the database, and its connection ends", async () => {
    const socket = new RelaySocket(programsOf(database).as("owner"));
    await socket.connected;
    const client = new Client({
      stream: () => socket,
      user: "routeql_owner",
      password: database.getPassword("owner"),
      database: "routeql",
    });
    client.on("error", silent);
    await client.connect();
    const { rows } = await client.query("select length($1::text) as sent, repeat('y', 10000000) as received", [
      "z".repeat(10_000_000),
    ]);
    expect(rows).toEqual([{ sent: 10_000_000, received: "y".repeat(10_000_000) }]);
    const sessions =
      "select count(*)::int as n from pg_stat_activity where usename = 'routeql_owner' and pid <> pg_backend_pid()";
    expect(await rowsOf(database, "owner", sessions)).toEqual([{ n: 1 }]);
    await expect(client.query("select pg_terminate_backend(pg_backend_pid())")).rejects.toThrow(
      "terminating connection",
    );
    await client.end();
    await expect.poll(() => rowsOf(database, "owner", sessions)).toEqual([{ n: 0 }]);
  });
});
