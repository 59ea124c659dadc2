import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backUpTo } from "@routeql/cli/database/backup";
import { restoreFrom } from "@routeql/cli/database/restore";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { commandsOn, programsOf, rowsOf } from "./support.ts";

const silent = (): void => undefined;

/** Traps for a restore: a trigger that adds rows, rows of the migration itself, a serial column, and names that need quotation. */
const second = `
create table desk."Kinds of notes" (id serial primary key, "Kind" text not null);
insert into desk."Kinds of notes" ("Kind") values ('call'), ('mail');
create table desk.history (note bigint not null references desk.notes, at timestamptz not null default now());
create function desk.record() returns trigger language plpgsql security definer as $$ begin insert into desk.history values (new.id); return null; end $$;
create trigger recorded after insert on desk.notes for each row execute function desk.record();
create materialized view desk.counts as select hijack_key, count(*) from desk.notes group by 1;
alter table routing.hijacks add column severity integer;
alter table public.view_hijacks add column ticket text;
create table plain (id integer primary key);
`;

describe("migrations of the operator", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  const file = (name: string): string => join(folder, name);

  const migrate = async (rights?: object): Promise<string> => {
    const own = { OWN_MIGRATIONS: file("migrations") };
    if (rights === undefined) return database.migrate(undefined, own);
    await writeFile(file("rights.json"), JSON.stringify(rights));
    return database.migrate(undefined, { ...own, ENGINE_RIGHTS: file("rights.json") });
  };
  const content = async (): Promise<unknown> => {
    const tables = ["desk.notes", 'desk."Kinds of notes"', "desk.history", "desk.counts", "plain", "routing.hijacks"];
    const texts = tables.map(
      (table) => `(select coalesce(string_agg(t::text, e'\\n' order by t::text), '') from ${table} t)`,
    );
    return rowsOf(database, "owner", `select ${texts.map((text, index) => `${text} as t${index}`).join(", ")}`);
  };
  const restore = (name: string, replace = true): Promise<string[]> =>
    restoreFrom(programsOf(database), file(name), { replace, show: silent });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-own-migrations-"));
    await cp(resolve("docs/start/desk/migrations"), file("migrations"), { recursive: true });
    database = await startDatabase();
    const { load, detect } = commandsOn(database);
    expect((await load("--demo", "500")).code).toBe(0);
    expect((await detect("routing/examples/demo.yaml")).code).toBe(0);
    await backUpTo(programsOf(database), file("before.dump"), silent);
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("follow those of RouteQL once, each in a transaction", async () => {
    expect(await migrate()).toContain("migrate: applied your migration 0001_notes\n");
    expect(await migrate()).toBe("migrate: everything was in place\n");
    for (const [sql, reason] of [
      ["create table desk.half (i int); select 1/0", "division by zero"],
      ["create table desk.half (i int); commit", "EXECUTE of transaction commands is not implemented"],
      ['create table desk.half ("Größe" int)', 'the name desk.half."Größe" has characters other than printable ASCII'],
      ["create role king", "permission denied to create role"],
      ["\n\\restrict abc\ncreate schema half", 'syntax error at or near "\\" (line 2). It is a command of psql'],
      ["create schema half;\ncopy half.a from stdin;\n1\n", 'syntax error at or near "1" (line 3). Rows after copy'],
    ]) {
      await writeFile(file("migrations/0002_more.sql"), sql!);
      await expect(migrate()).rejects.toThrow(`your migration 0002_more failed and changed nothing: ${reason}`);
    }
    const found = await rowsOf(database, "owner", "select to_regclass('desk.half') is null as absent");
    expect(found).toEqual([{ absent: true }]);
    await writeFile(
      file("migrations/0002_more.sql"),
      `set search_path to desk; set role to routeql_owner;${second}`.replace("table plain", "table public.plain"),
    );
    expect(await migrate()).toContain("migrate: applied your migration 0002_more\n");
    // Rows of the migrations themselves are no data.
    await expect(restore("before.dump", false)).rejects.toThrow(/ configured prefixes$/);
  });

  test("give the engine exactly the rights of the metadata", async () => {
    const rights = [{ right: "select" }, { right: "insert" }, { right: "update", columns: ["note"] }];
    const notes = { schema: "desk", name: "notes", rights };
    const kinds = { schema: "desk", name: "Kinds of notes", rights: [{ right: "select" }, { right: "insert" }] };
    expect(await migrate({ tables: [notes, kinds], functions: [] })).toContain("set the rights of each role");
    expect(await migrate({ tables: [notes, kinds], functions: [] })).toBe("migrate: everything was in place\n");
    await using engine = await database.connect("engine");
    await engine.query("set default_transaction_read_only = off");
    await engine.query(
      "insert into desk.notes (hijack_key, note, author) select key, 'first', 'a' from view_hijacks order by key limit 2",
    );
    await engine.query("update desk.notes set note = 'second' where id = 1");
    await engine.query(`insert into desk."Kinds of notes" ("Kind") values ('visit')`);
    await expect(restore("before.dump", false)).rejects.toThrow(
      ' configured prefixes, your tables desk."Kinds of notes", desk.history, desk.notes',
    );
    for (const statement of [
      "update desk.notes set author = 'b'",
      "delete from desk.notes",
      `update desk."Kinds of notes" set "Kind" = ''`,
      "select from desk.history",
      "select from plain",
      "select from migrations.own_migrations",
    ])
      await expect(engine.query(statement)).rejects.toThrow("permission denied");
    await migrate({ tables: [], functions: [] });
    await expect(engine.query("select from desk.notes")).rejects.toThrow("permission denied for schema desk");
    await expect(migrate({ tables: [{ ...notes, name: "absent" }], functions: [] })).rejects.toThrow(
      'relation "desk.absent" does not exist',
    );
  });

  test("survive a backup and its restore, with rows, triggers and foreign keys", async () => {
    await using owner = await database.connect("owner");
    await using hasura = await database.connect("metadata");
    await hasura.query(`create table hdb_catalog.events (id integer primary key references hdb_catalog.events);
      create function hdb_catalog.notice() returns trigger language plpgsql as 'begin return new; end';
      create trigger noticed after insert on hdb_catalog.events for each row execute function hdb_catalog.notice()`);
    await owner.query(`update routing.hijacks set severity = 3, ticket = 'T-1' where key = (select min(key) from routing.hijacks);
      insert into plain values (1); delete from desk."Kinds of notes" where "Kind" = 'call'; refresh materialized view desk.counts`);
    const before = await content();
    await backUpTo(programsOf(database), file("own.dump"), silent);
    await owner.query("delete from desk.history; delete from desk.notes; update routing.hijacks set severity = null");
    expect(await content()).not.toEqual(before);
    await restore("own.dump");
    expect(await content()).toEqual(before);
    expect(await migrate()).toBe(
      "migrate: set the rights of each role\nmigrate: set the triggers that announce changes\nmigrate: done, 2 changes\n",
    );
  });

  test("are the same with other line ends, also when an older release stored those", async () => {
    const texts = new Map<string, string>();
    for (const name of ["0001_notes", "0002_more"]) {
      const text = await readFile(file(`migrations/${name}.sql`), "utf8");
      texts.set(name, text);
      await writeFile(file(`migrations/${name}.sql`), `\u{FEFF}${text.replaceAll("\n", "\r\n")}`);
    }
    expect(await migrate()).toBe("migrate: everything was in place\n");
    await using owner = await database.connect("owner");
    const stored = "update migrations.own_migrations set content = $2 where name = $1";
    await owner.query(stored, ["0001_notes", texts.get("0001_notes")!.replaceAll("\n", "\r\n")]);
    for (const [name, text] of texts) await writeFile(file(`migrations/${name}.sql`), text);
    expect(await migrate()).toBe("migrate: everything was in place\n");
    const before = await content();
    await restore("own.dump");
    expect(await content()).toEqual(before);
  });

  test("that changed, vanished or come too late are refused before anything changes", async () => {
    await writeFile(file("migrations/0004_late.sql"), "create table desk.late (i int)");
    const refused = async (reason: string): Promise<void> =>
      expect(migrate()).rejects.toThrow(`your migration ${reason}. Nothing was changed`);
    await cp(file("migrations/0002_more.sql"), file("kept.sql"));
    await writeFile(file("migrations/0002_more.sql"), "select 1");
    await refused("0002_more has changed since it was applied");
    await rm(file("migrations/0002_more.sql"));
    await refused("0002_more is missing in the folder");
    await cp(file("kept.sql"), file("migrations/0002_more.sql"));
    await writeFile(file("migrations/0000_late.sql"), "select 1");
    await refused("0001_notes is applied, but 0000_late before it is not");
    await rm(file("migrations/0000_late.sql"));
    await expect(database.migrate()).rejects.toThrow("your migration 0001_notes is missing in the folder");
    expect(await migrate()).toContain("migrate: applied your migration 0004_late\n");
  });

  test("are applied again after an older backup, and a backup with unknown ones is refused", async () => {
    await restore("before.dump");
    const missing = "the backup has your migration 0001_notes, which this stack does not have";
    await expect(restore("own.dump")).rejects.toMatchObject({
      lastLines: expect.arrayContaining([expect.stringContaining(missing)]),
    });
    expect(await migrate()).toContain("migrate: applied your migration 0004_late\n");
    await restore("own.dump");
    expect(await migrate()).toContain("migrate: applied your migration 0004_late\n");
  });

  test("may set an encoding, as dumps of older databases do, also before a restore reads rows", async () => {
    const encoded = "set client_encoding = 'LATIN1'; comment on table plain is 'Größe'";
    await writeFile(file("migrations/0005_encoded.sql"), encoded);
    expect(await migrate()).toContain("migrate: applied your migration 0005_encoded\n");
    const comment = async (): Promise<unknown> =>
      rowsOf(database, "owner", "select obj_description('plain'::regclass) as text");
    expect(await comment()).toEqual([{ text: "Größe" }]);
    expect(await migrate()).toBe("migrate: everything was in place\n");
    await using owner = await database.connect("owner");
    // The later name is not part of Latin 1.
    await owner.query(`insert into desk."Kinds of notes" ("Kind") values ('Größe'), ('経路')`);
    const before = await content();
    await backUpTo(programsOf(database), file("encoded.dump"), silent);
    await owner.query('delete from desk."Kinds of notes"');
    await restore("encoded.dump");
    expect(await content()).toEqual(before);
    expect(await comment()).toEqual([{ text: "Größe" }]);
  });
});
