/** When writers send notices, and what the triggers leave behind. */
import type { Client } from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";

let database: StartedDatabaseContainer;
let owner: Client;
let hijacks = "";
/** Payloads of notices since the start of the test. */
const heard: string[] = [];
let listener: Client;

beforeAll(async () => {
  database = await startDatabase();
  owner = await database.connect("owner");
  hijacks = (await owner.query<{ id: string }>("select 'view_hijacks'::regclass::oid::text as id")).rows[0]!.id;
  listener = await database.connect("bootstrap");
  listener.on("notification", ({ payload = "" }) => heard.push(payload));
  await listener.query("listen routeql_changes");
}, 180_000);

afterAll(async () => {
  await owner?.end();
  await listener?.end();
  await database?.stop();
});

beforeEach(() => void (heard.length = 0));

type Change = "start_listening" | "stop_listening";

const callText = (change: Change): string => `select public.${change}('{${hijacks}}')`;
const call = (engine: Client, change: Change) => engine.query(`begin read write; ${callText(change)}; commit`);

/** The engine's role updates a hijack. @returns what was heard of it */
async function heardOfUpdate(): Promise<readonly string[]> {
  await using writer = await database.connect("engine");
  await writer.query(
    "begin read write; update view_hijacks set seen = not seen where key = (select min(key) from view_hijacks); commit",
  );
  await listener.query("select 1");
  return heard.splice(0);
}

async function isFlagged(): Promise<boolean> {
  const { rows } = await owner.query<{ last: string | null }>(
    "select pg_sequence_last_value(flag) as last from routing.listening_flags($1::oid[]) flag",
    [[hijacks]],
  );
  expect(rows).toHaveLength(1);
  return rows[0]?.last !== null;
}

test("a writer of any role sends notices while at least one engine listens for the table", async () => {
  await using first = await database.connect("engine");
  await using second = await database.connect("engine");
  await call(first, "start_listening");
  expect(await heardOfUpdate()).toEqual(["public.view_hijacks"]);
  await call(second, "start_listening");
  await call(first, "stop_listening");
  expect(await heardOfUpdate()).toEqual(["public.view_hijacks"]);
  await call(second, "stop_listening");
  expect(await heardOfUpdate()).toEqual([]);
  expect(await isFlagged()).toBe(false);
  await call(first, "start_listening");
  expect(await heardOfUpdate()).toEqual(["public.view_hijacks"]);
});

test("an engine that dies leaves no writer that sends notices", async () => {
  {
    await using engine = await database.connect("engine");
    await call(engine, "start_listening");
  }
  await expect.poll(heardOfUpdate).toEqual([]);
  expect(await isFlagged()).toBe(true);
});

test("an engine of an earlier version, which only reads, hears notices or fails", async () => {
  await using earlier = await database.connect("engine");
  await earlier.query("set default_transaction_read_only = on");
  await earlier.query(callText("start_listening"));
  expect(await heardOfUpdate()).toEqual(["public.view_hijacks"]);
  await earlier.query(callText("stop_listening"));
  expect([await heardOfUpdate(), await isFlagged()]).toEqual([[], true]);
  await using current = await database.connect("engine");
  await call(current, "start_listening");
  await call(current, "stop_listening");
  await expect(earlier.query(callText("start_listening"))).rejects.toMatchObject({ code: "25006" });
});

test("a flag is of one table, whatever its names were, and goes with the trigger", async () => {
  const flags = async (): Promise<readonly string[]> => {
    const { rows } = await owner.query<{ name: string }>(
      "select relname as name from pg_class where relkind = 'S' and relname like 'listening%' order by oid",
    );
    return rows.map(({ name }) => name);
  };
  const watch = (...tables: readonly string[]) =>
    owner.query("select from routing.watch_tables($1::regclass[]::oid[], '{}')", [["view_hijacks", ...tables]]);
  await watch();
  const before = await flags();
  await owner.query("create table own ()");
  await watch("own");
  const flag = (await flags()).find((name) => !before.includes(name));
  await owner.query("alter table own rename to former; create table own ()");
  await watch("own", "former");
  expect(await flags()).toEqual([...before, flag, `${flag}_`]);
  await owner.query("drop table former; alter table own disable trigger routeql_change");
  await watch("own");
  expect(await flags()).toEqual([...before, flag]);
  await owner.query("drop table own");
  await watch();
  expect(await flags()).toEqual(before);
});
