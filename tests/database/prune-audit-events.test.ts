import { afterAll, beforeAll, expect, test } from "vitest";
import { pruneAuditEvents } from "@routeql/database/prune/prune";
import { pruneCommand } from "@routeql/database/prune/command";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { rowsOf, runCommand } from "./support.ts";

const now = new Date("2026-03-10T12:00:00Z");
let database: StartedDatabaseContainer;

// One event per hour from 2026-03-01 to 2026-03-10, noon.
beforeAll(async () => {
  database = await startDatabase();
  await using owner = await database.connect("owner");
  await owner.query(`
    insert into auth.audit_events (occurred_at, event, outcome)
    select hour, 'login', 'success' from generate_series('2026-03-01 00:00+00'::timestamptz, '2026-03-10 12:00+00', '1 hour') hour`);
}, 180_000);

afterAll(async () => {
  await database?.stop();
});

const prune = (...args: string[]) =>
  runCommand(
    (given, open, output) => pruneCommand(given, open, output, now),
    args,
    async () => ({ config: { connectionString: database.getConnectionUri("owner") }, close: async () => {} }),
  );
const kept = (): Promise<unknown[]> =>
  rowsOf(database, "owner", "select count(*)::int as events, min(occurred_at) as first from auth.audit_events");

test("a dry run counts the matching audit events, and deletes none", async () => {
  expect(await prune("--keep-audit-days", "7", "--dry-run")).toMatchObject({
    code: 0,
    stdout: "Before 2026-03-03: 48 audit events would be deleted\n",
  });
  expect(await kept()).toEqual([{ events: 229, first: "2026-03-01T00:00:00+00:00" }]);
});

test("deletes old events, and a second run changes nothing", async () => {
  expect(await prune("--keep-audit-days", "7")).toMatchObject({
    code: 0,
    stdout: "Before 2026-03-03: 48 audit events deleted\n",
  });
  expect(await prune("--keep-audit-days", "7")).toMatchObject({
    code: 0,
    stdout: "Before 2026-03-03: no audit events to delete\n",
  });
  expect(await kept()).toEqual([{ events: 181, first: "2026-03-03T00:00:00+00:00" }]);
});

test("counts days in UTC in any session time zone, in several batches", async () => {
  await using owner = await database.connect("owner");
  await owner.query("set time zone 'Pacific/Auckland'");
  expect(await pruneAuditEvents(owner, { before: "2026-03-05", dryRun: false, batch: 16 })).toBe(48);
  expect(await kept()).toEqual([{ events: 133, first: "2026-03-05T00:00:00+00:00" }]);
});

test("concurrent runs delete each event once", async () => {
  const removing = async (): Promise<number> => {
    await using owner = await database.connect("owner");
    return await pruneAuditEvents(owner, { before: "2026-03-08", dryRun: false, batch: 3 }); // This function closes the client at its end.
  };
  expect((await Promise.all([removing(), removing()])).toSorted((a, b) => a - b)).toEqual([0, 72]);
  expect(await kept()).toEqual([{ events: 61, first: "2026-03-08T00:00:00+00:00" }]);
});

test("deletes audit events before it waits for updates", async () => {
  const { code, stdout } = await prune("--keep-days", "1", "--keep-audit-days", "1");
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: "Before 2026-03-09: 24 audit events deleted\nBefore 2026-03-09: no updates to delete\n",
  });
});
