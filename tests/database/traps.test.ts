import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Client } from "pg";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { restoreFrom, restoreProgram } from "@routeql/cli/database/restore";
import { migrationNames } from "@routeql/database/migrate/migration-names";
import { lastWords } from "@routeql/host/program-streams";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { programsOf, rowsOf } from "./support.ts";
import { pathOf, spring, trapsOf } from "./trap-statements.ts";

const path = pathOf("routeql");
const traps = trapsOf("routeql");

/** Postgres lets only a superuser create these. */
const refused: Readonly<Record<string, string>> = {
  "an event trigger": `create function trap.fire() returns event_trigger language plpgsql as $$ begin perform trap.spring(); end $$;
    create event trigger trap on ddl_command_start execute function trap.fire()`,
  "a foreign data wrapper": "create foreign data wrapper trap",
  "a preloaded library": "alter database routeql set session_preload_libraries = 'trap'",
  "a program as the source of rows": "copy auth.organisations (id, name) from program 'id'",
};

/**
 * Everything in the catalogues that the traps add to. Names only: a restore gives objects other identifiers. Without the triggers of notices
 * and their flags, which only the migrate job creates.
 */
const catalogue = `select array(select nspname::text from pg_namespace where nspname !~ '^pg_(temp|toast_temp)' order by 1) as schemas,
  array(select row(oid::regprocedure, proacl)::text from pg_proc where oid >= 16384 order by 1) as functions,
  array(select oid::regoperator::text from pg_operator where oid >= 16384 order by 1) as operators,
  array(select row(castsource::regtype, casttarget::regtype)::text from pg_cast where oid >= 16384 order by 1) as casts,
  array(select oid::regtype::text from pg_type where oid >= 16384 and typtype in ('d', 'e', 'b') and typcategory <> 'A' order by 1) as types,
  array(select row(oid::regclass, relkind, relrowsecurity)::text from pg_class
    where oid >= 16384 and relkind <> 'i' and relnamespace <> 'pg_toast'::regnamespace
      and not (relkind = 'S' and relname ~ '^listening_[0-9a-f]{32}$') order by 1) as relations,
  array(select pg_get_indexdef(indexrelid) from pg_index where indexrelid >= 16384 and indexprs is not null) as expressions,
  array(select row(attrelid::regclass, attname)::text from pg_attribute join pg_class c on c.oid = attrelid
    where relkind in ('r', 'p', 'v') and c.oid >= 16384 and attnum > 0 and not attisdropped order by 1) as columns,
  array(select row(tgrelid::regclass, tgname)::text from pg_trigger
    where not tgisinternal and tgfoid is distinct from to_regproc('routing.tell_change') order by 1) as triggers,
  array(select row(ev_class::regclass, rulename)::text from pg_rewrite where oid >= 16384 order by 1) as rules,
  array(select polname::text from pg_policy) as policies, array(select pubname::text from pg_publication) as publications,
  array(select extname::text from pg_extension order by 1) as extensions, array(select evtname::text from pg_event_trigger) as event_triggers,
  array(select fdwname::text from pg_foreign_data_wrapper) as wrappers,
  array(select cfgname::text from pg_ts_config where oid >= 16384) as searches,
  array(select row(defaclrole::regrole, defaclobjtype, defaclnamespace::regnamespace, defaclacl)::text from pg_default_acl order by 1) as defaults,
  array(select row(setdatabase, setrole::regrole, setconfig)::text from pg_db_role_setting order by 1) as settings,
  (select count(*) from pg_largeobject_metadata) as large_objects`;

describe("a hostile backup", { timeout: 300_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  let good = "";
  let clean: unknown;

  const restore = (file: string): Promise<unknown> =>
    restoreFrom(programsOf(database), file, { replace: true, show: () => undefined });

  /** Reads through a clean search path, in which no trap of the database can act on this test's own superuser. */
  async function read(statement: string): Promise<unknown[]> {
    const uri = new URL(database.getConnectionUri("bootstrap"));
    uri.searchParams.set(
      "options",
      "-c search_path=pg_catalog -c role=none -c statement_timeout=0 -c local_preload_libraries=",
    );
    const client = new Client({ connectionString: uri.href });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }
  const sprung = (): Promise<unknown[]> => read("select rolname from pg_roles where rolname = 'sprung'");

  /** A copy of the good backup in which one entry of its list of contents (length, text) begins another way. */
  async function forge(start: string, change: (entry: string) => string): Promise<string> {
    const bytes = await readFile(good);
    const at = bytes.indexOf(start);
    expect(at).toBeGreaterThan(0);
    const length = bytes.readUInt32LE(at - 4);
    const text = Buffer.from(change(bytes.toString("utf8", at, at + length)));
    const size = Buffer.alloc(4);
    size.writeUInt32LE(text.length);
    const file = join(folder, "forged.dump");
    await writeFile(file, Buffer.concat([bytes.subarray(0, at - 4), size, text, bytes.subarray(at + length)]));
    return file;
  }

  /** Uncompressed, unlike the files of `npm run backup`, so that a test can change the text of its rows. */
  async function dump(name: string): Promise<string> {
    const program =
      "pg_dump --host=127.0.0.1 --format=custom --compress=none --schema=auth --schema=migrations --schema=public --schema=routing --exclude-table-data='public.*'";
    const { exitCode } = await database.exec(
      ["sh", "-c", `${program} --file=/tmp/${name}.dump -U routeql_backup routeql`],
      { env: { PGPASSWORD: database.getPassword("backup") } },
    );
    expect(exitCode).toBe(0);
    const { output } = await database.exec(["base64", "-w0", `/tmp/${name}.dump`]);
    const file = join(folder, `${name}.dump`);
    await writeFile(file, Buffer.from(output, "base64"));
    return file;
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-traps-"));
    database = await startDatabase();
    await using owner = await database.connect("owner");
    await owner.query(`insert into auth.organisations (id, name) values ('o', '${"n".repeat(200)}')`);
    good = await dump("good");
    await restore(good);
    await database.migrate();
    clean = await read(catalogue);
  }, 300_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => expect(await sprung()).toEqual([]));

  test.each(Object.entries({ ...traps, ...refused }))("the comment of a view cannot bring %s", async (_, trap) => {
    await restore(await forge("COMMENT ON VIEW public.view_bgpupdates IS", (entry) => `${entry}${spring}${trap};\n`));
    expect(await read(catalogue)).toEqual(clean);
    expect(await sprung()).toEqual([]);
  });

  test.each(Object.entries(traps))("as owner, %s reaches no superuser, and a restore removes it", async (_, trap) => {
    {
      await using owner = await database.connect("owner");
      await owner.query(spring);
      await owner.query(trap);
    }
    expect(await read(catalogue)).not.toEqual(clean);
    // A trap may prevent a migration but not lead it.
    await database.migrate().catch((error: unknown) => expect(String(error)).toMatch(/migrate: /));
    expect(await sprung()).toEqual([]);
    await restore(good);
    await database.migrate();
    expect(await sprung()).toEqual([]);
    expect(await read(catalogue)).toEqual(clean);
  });

  test("settings of the database that stop every program do not stop a restore", async () => {
    {
      await using owner = await database.connect("owner");
      await owner.query(spring);
      await owner.query(traps["settings of the database"]!);
    }
    await expect(database.connect("owner")).rejects.toThrow(/plugins\/trap/);
    await restore(good);
    await database.migrate();
    expect(await sprung()).toEqual([]);
    expect(await read(catalogue)).toEqual(clean);
  });

  test.each(Object.entries(refused))("the owner cannot create %s", async (_, trap) => {
    await using owner = await database.connect("owner");
    await owner.query(spring);
    await expect(owner.query(trap)).rejects.toThrow(/permission denied|must be superuser/i);
    await owner.query("drop schema trap cascade");
  });

  test("the administrator keeps its settings while the owner changes those of the database", async () => {
    await using owner = await database.connect("owner");
    const statements = `${spring} ${traps["a function of the same name"]!}`;
    await owner.query(statements);
    const ended = new AbortController();
    // The settings come back between the job's reset and its connection.
    const again = (async () => {
      // Postgres refuses one of two changes at the same moment: "tuple concurrently updated".
      while (!ended.signal.aborted)
        await owner.query(path).catch((error: unknown) => expect(String(error)).toContain("concurrently"));
    })();
    await database
      .migrate()
      .catch((error: unknown) => expect(String(error)).toMatch(/concurrently/))
      .finally(() => ended.abort());
    await again;
    expect(await sprung()).toEqual([]);
    await restore(good);
    await database.migrate();
    expect(await read(catalogue)).toEqual(clean);
  });

  test.each([
    ["a statement before rows", "COPY auth.organisations", (entry: string) => `create role sprung;\n${entry}`],
    ["a command of psql", "COPY auth.organisations", (entry: string) => `\\! touch /tmp/sprung\n${entry}`],
    ["rows from a program", "COPY auth.organisations", () => "COPY auth.organisations FROM PROGRAM 'id';\n"],
    ["rows for another schema", "COPY auth.organisations", () => "COPY pg_catalog.pg_class (relname) FROM stdin;\n"],
  ])("refuses %s", async (_, start, change) => {
    await expect(restore(await forge(start, change))).rejects.toMatchObject({
      lastLines: expect.arrayContaining([expect.stringContaining("The file contains SQL that no backup contains")]),
    });
    expect(await read(catalogue)).toEqual(clean);
  });

  test.each([
    ["\\.\ncreate role sprung;\n", "The file contains SQL"],
    ["\\.\r\ncreate role sprung;\n", "The file contains SQL"],
    ["\\.\n\\! touch /tmp/sprung\n", "The file contains SQL"],
    ["\\.\0\ncreate role sprung;\n", "The file contains SQL"],
  ])("refuses rows that end early: %j", async (text, reason) => {
    const bytes = await readFile(good);
    const at = bytes.indexOf("n".repeat(200));
    bytes.write(`\n${text}`, at, "latin1");
    const file = join(folder, "early.dump");
    await writeFile(file, bytes);
    // The row before the early end is incomplete, which Postgres may report first.
    await expect(restore(file)).rejects.toMatchObject({
      lastLines: expect.arrayContaining([expect.stringMatching(new RegExp(`${reason}|missing data for column`))]),
    });
    expect(await read(catalogue)).toEqual(clean);
    expect(await rowsOf(database, "owner", "select count(*)::int as n from auth.organisations")).toEqual([{ n: 1 }]);
    expect((await database.exec(["test", "-e", "/tmp/sprung"])).exitCode).not.toBe(0);
  });

  const touched = async (): Promise<boolean> => (await database.exec(["test", "-e", "/tmp/sprung"])).exitCode === 0;

  test.each([
    ["ends the block of a program", "x'] loop end loop; end $$; \\! touch /tmp/sprung"],
    ["is a command of psql", "\\! touch /tmp/sprung"],
    ["names another folder", "../../../../tmp/sprung"],
    ["is a variable of psql", ":'keep_keys'"],
    ["has a quotation mark", "0001_o'clock"],
  ])("a name of an own migration that %s is refused", async (_, name) => {
    const placeholder = `0001_${"m".repeat(name.length - 5)}`;
    {
      await using owner = await database.connect("owner");
      await owner.query("insert into migrations.own_migrations (name, content) values ($1, '')", [placeholder]);
    }
    const bytes = await readFile(await dump("named"));
    await restore(good);
    await database.migrate();
    const at = bytes.indexOf(placeholder);
    expect(at).toBeGreaterThan(0);
    bytes.write(name, at, "latin1");
    const file = join(folder, "named.dump");
    await writeFile(file, bytes);
    await expect(restore(file)).rejects.toThrow(/names a migration .*, which no migration can have as name/);
    expect(await touched()).toBe(false);
    expect(await read(catalogue)).toEqual(clean);
  });

  test("psql obeys no command of a text that reaches it beside the rows", async () => {
    const file = await forge("COPY auth.organisations", (entry) => `\\! touch /tmp/sprung\n${entry}`);
    const { program, head } = restoreProgram({ applied: migrationNames(), own: [] }, false);
    const said = lastWords();
    const code = await programsOf(database).as("owner")([...program.slice(0, -1), "{ print }"], {
      input: Readable.from([head, await readFile(file)]),
      output: said.stream,
      errors: said.stream,
    });
    expect(said.lines().join("\n")).toContain("backslash commands are restricted");
    expect(code).not.toBe(0);
    expect(await touched()).toBe(false);
    expect(await read(catalogue)).toEqual(clean);
  });
});
