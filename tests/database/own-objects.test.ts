import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { backUpTo } from "@routeql/cli/database/backup";
import { restoreFrom } from "@routeql/cli/database/restore";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { programsOf, rowsOf } from "./support.ts";

/** Kinds of objects that a restore brings back, each with the statements of a migration. */
const carried: Readonly<Record<string, string>> = {
  schema: "create schema ops; create schema ops2",
  table: "create table ops.sites (code text primary key, size int not null default 1, note text)",
  "column comment": "comment on column ops.sites.note is 'a note'",
  "check constraint": "alter table ops.sites add constraint small check (size < 1000)",
  "identity column":
    "create table ops.visits (id bigint generated always as identity primary key, site text references ops.sites)",
  "generated column": "alter table ops.sites add double_size int generated always as (size * 2) stored",
  index: "create index on ops.sites (size desc) where size > 3",
  "expression index": "create unique index on ops.sites (lower(code))",
  "extended statistics": "create statistics ops.both_columns on size, note from ops.sites",
  sequence:
    "create sequence ops.numbers increment 5 start 100; create view ops.last_number as select last_value, is_called from ops.numbers",
  "descending sequence":
    "create sequence ops.down increment -1 maxvalue -1; create view ops.last_down as select last_value, is_called from ops.down",
  enum: "create type ops.state as enum ('open', 'closed'); alter type ops.state add value 'late' before 'closed'",
  domain: "create domain ops.short as text check (length(value) < 9)",
  "composite type": "create type ops.pair as (a int, b ops.short)",
  "range type": "create type ops.floats as range (subtype = float8)",
  arrays: "create table ops.ids (ids uuid[], texts text[][])",
  "columns of own types": "create table ops.typed (state ops.state, short ops.short, pair ops.pair, range ops.floats)",
  function: "create function ops.twice(int) returns int language sql immutable as 'select $1 * 2'",
  procedure: "create procedure ops.clear() language plpgsql as $$ begin delete from ops.visits; end $$",
  aggregate: "create aggregate ops.total(int) (sfunc = int4pl, stype = int, initcond = '0')",
  operator: "create operator ops.@@@ (leftarg = int, rightarg = int, function = int4pl)",
  cast: "create function ops.to_pair(int) returns ops.pair language sql as $$ select row($1, 'x')::ops.pair $$; create cast (int as ops.pair) with function ops.to_pair(int)",
  collation: "create collation ops.german (provider = icu, locale = 'de')",
  view: "create view ops.large as select code from ops.sites where size > 10",
  "materialized view": "create materialized view ops.sizes as select size, count(*) from ops.sites group by 1",
  "materialized view over updates":
    "create materialized view ops.counted as select date_trunc('month', timestamp) as month, count(*) from public.view_bgpupdates group by 1",
  rule: "create rule quiet as on delete to ops.typed do instead nothing",
  trigger:
    "create function ops.mark() returns trigger language plpgsql as $$ begin new.note := 'marked'; return new; end $$; create trigger mark before insert on ops.sites for each row execute function ops.mark()",
  "partitioned table":
    "create table ops.events (at date not null, what text) partition by range (at); create table ops.events_1 partition of ops.events for values from ('2026-01-01') to ('2026-02-01'); create table ops.events_rest partition of ops.events default",
  inheritance: "create table ops.special (extra text) inherits (ops.sites)",
  "exclusion constraint": "create table ops.rooms (during daterange, exclude using gist (during with &&))",
  "deferrable foreign key":
    "create table ops.tree (id int primary key, parent int references ops.tree deferrable initially deferred)",
  "trusted extension": "create extension citext schema ops; create table ops.names (name ops.citext primary key)",
  publication: "create publication changes for table only ops.sites",
  "text search configuration": "create text search configuration ops.plain (copy = simple)",
  "policy that is not enabled": "create policy all_rows on ops.typed using (true)",
  grants:
    "grant select on ops.sites to routeql_loader; alter default privileges in schema ops2 grant select on tables to routeql_loader",
};

const updates = `create table routing.bgp_updates_202602 (like routing.bgp_updates including all excluding indexes);
  alter table routing.bgp_updates attach partition routing.bgp_updates_202602 for values from ('2026-02-01') to ('2026-03-01');
  insert into routing.bgp_updates (key, prefix, origin_as, as_path, service, type, "timestamp")
  select gen_random_uuid(), '192.0.2.0/24', 64501, '{64501}', 'test', 'A', timestamp '2026-02-03 04:05:06' + n * interval '1 day' from generate_series(1, 5) n`;

const rows = `insert into ops.ids values (array[gen_random_uuid(), null], array[array['a,"b']]); insert into ops.sites (code, size) values ('a', 5), (E'tab\\tand\\nline', 11); update only ops.sites set note = null where code = 'a';
  insert into ops.visits (site) values ('a'); insert into ops.typed values ('late', 'x', row(1, 'y'), '[1,2)');
  insert into ops.events values ('2026-01-05', 'x'), ('2027-01-01', 'y'); insert into ops.special (code, extra) values ('s', 'e');
  insert into ops.rooms values ('[2026-01-01,2026-01-05)'); insert into ops.tree values (1, 2), (2, 1); insert into ops.names values ('Ä');
  select nextval('ops.numbers'); select nextval('ops.down'), nextval('ops.down'); refresh materialized view ops.sizes;
  ${updates}; refresh materialized view ops.counted`;

/** Each with the reason of its refusal. */
const refused: readonly (readonly [statement: string, reason: string])[] = [
  ["alter table ops.sites enable row level security", "the table ops.sites has row level security, so no backup"],
  ["alter table ops.sites enable row level security, force row level security", "has row level security"],
  ["alter table ops.events enable row level security", "the table ops.events has row level security"],
  ["select lo_from_bytea(0, 'bytes')", "would be in no backup. Store bytes in a column of type bytea"],
  ["create unlogged table ops.quick (i int)", "ops.quick is UNLOGGED, so the archive would not have its rows"],
  ["alter table ops.sites enable always trigger mark", "the trigger mark is ENABLE ALWAYS, so a restore would run it"],
  ["alter database routeql set search_path = ops", "the database has the setting search_path=ops, which every update"],
  [
    "create event trigger watch on ddl_command_start execute function ops.none()",
    "permission denied to create event trigger",
  ],
  ["create extension file_fdw", "permission denied to create extension"],
  ["create publication every for all tables", "must be superuser to create FOR ALL TABLES publication"],
  ["create index concurrently on ops.sites (note)", "CREATE INDEX CONCURRENTLY cannot run inside a transaction block"],
];

describe("objects of own migrations", { timeout: 240_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder = "";
  const migrate = async (name: string, sql: string): Promise<string> => {
    await writeFile(join(folder, "own", `${name}.sql`), sql);
    return database.migrate(undefined, { OWN_MIGRATIONS: join(folder, "own") });
  };
  /** All definitions as pg_dump prints them, without comments and its random key; sorted, because it prints rights by their age. */
  async function definitions(): Promise<string> {
    const { output, exitCode } = await database.exec(["pg_dump", "--schema-only", "--username=postgres", "routeql"]);
    expect(exitCode).toBe(0);
    // A schema public that was created again has an empty comment.
    const isNoise = (line: string): boolean =>
      /^(--.*|\\(un)?restrict .*|COMMENT ON SCHEMA public IS '';|)$/.test(line);
    return output
      .split("\n")
      .filter((line) => !isNoise(line))
      .toSorted()
      .join("\n");
  }
  async function content(): Promise<unknown> {
    const tables = [
      "sites",
      "visits",
      "typed",
      "events",
      "events_1",
      "special",
      "rooms",
      "tree",
      "names",
      "sizes",
      "counted",
      "last_number",
      "last_down",
      "ids",
    ];
    const texts = tables.map(
      (table) => `(select string_agg(t::text, e'\\n' order by t::text) from ops.${table} t) as ${table}`,
    );
    return rowsOf(database, "owner", `select ${texts.join(", ")}`);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-own-objects-"));
    await mkdir(join(folder, "own"));
    database = await startDatabase();
    await migrate("0001_objects", Object.values(carried).join(";\n"));
    await using owner = await database.connect("owner");
    await owner.query(rows);
  }, 240_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("a backup and its restore carry 30 kinds of objects with their rows", async () => {
    expect(Object.keys(carried).length).toBeGreaterThanOrEqual(30);
    const [objects, before] = [await definitions(), await content()];
    await backUpTo(programsOf(database), join(folder, "objects.dump"), () => undefined);
    await using owner = await database.connect("owner");
    await owner.query(
      "delete from ops.visits; delete from ops.names; drop view ops.large; select nextval('ops.numbers')",
    );
    await restoreFrom(programsOf(database), join(folder, "objects.dump"), { replace: true, show: () => undefined });
    await migrate("0001_objects", Object.values(carried).join(";\n"));
    expect(await content()).toEqual(before);
    expect(await definitions()).toBe(objects);
  });

  test.each(refused)("refuses %s with the reason", async (statement, reason) => {
    await expect(migrate("0002_more", statement)).rejects.toThrow(reason);
    const [left] = await rowsOf(database, "owner", "select count(*)::int as count from migrations.own_migrations");
    expect(left).toEqual({ count: 1 });
  });

  test("a migration that ends row level security of an earlier release is applied", async () => {
    await using owner = await database.connect("owner");
    await owner.query("alter table ops.sites enable row level security");
    const ended = await migrate("0002_more", "alter table ops.sites disable row level security");
    expect(ended).toContain("applied your migration 0002_more");
  });
});
