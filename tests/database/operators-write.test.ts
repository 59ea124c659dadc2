import { createHash } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { rowsOf } from "./support.ts";

const times = "time_started, time_last, time_detected";
const at = "'2026-01-01', '2026-01-02', '2026-01-03'";

describe("the flags of a hijack that operators set", () => {
  let database: StartedDatabaseContainer;
  beforeAll(async () => void (database = await startDatabase()), 180_000);
  afterAll(async () => database?.stop());

  beforeEach(async () => {
    await using owner = await database.connect("owner");
    await owner.query(`truncate routing.hijacks cascade; delete from auth.audit_events;
      insert into routing.hijacks (key, type, prefix, hijack_as, ${times}, active, dormant, under_mitigation, mitigation_started) values
        ('live', 'E|0|-|-', '192.0.2.0/24', 64500, ${at}, true, true, false, null),
        ('fought', 'E|0|-|-', '192.0.2.0/24', 64501, ${at}, true, false, true, '2026-01-03');
      insert into routing.hijacks (key, type, prefix, hijack_as, ${times}, active, withdrawn, time_ended) values
        ('ended', 'E|0|-|-', '192.0.2.0/24', 64502, ${at}, false, true, '2026-01-04')`);
  });

  /** Changes a hijack as the engine does: in its transaction with the session variables. */
  async function set(key: string, assignments: string, session: object = { "x-hasura-role": "operator" }) {
    await using engine = await database.connect("engine");
    await engine.query("begin read write");
    await engine.query("select set_config('hasura.user', $1, true)", [JSON.stringify(session)]);
    const { rows } = await engine.query(
      `update public.view_hijacks set ${assignments} where key = $1
       returning active, dormant, resolved, ignored, seen, under_mitigation, mitigation_started is not null as started, time_ended is not null as ended, comment`,
      [key],
    );
    await engine.query("commit");
    return rows as Record<string, unknown>[];
  }

  const events = (): Promise<unknown[]> =>
    rowsOf(database, "owner", "select event, outcome, user_id, detail from auth.audit_events order by id");

  test.each([
    ["live", "seen = true", { seen: true, active: true, dormant: true }],
    ["live", "comment = 'checked'", { comment: "checked", active: true }],
    ["live", "ignored = true", { ignored: true, active: false, dormant: false, ended: false }],
    ["live", "resolved = true", { resolved: true, active: false, dormant: false, ended: true }],
    ["live", "under_mitigation = true", { under_mitigation: true, started: true, active: true }],
    ["fought", "under_mitigation = false", { under_mitigation: false, started: true, active: true }],
    ["fought", "resolved = true", { resolved: true, under_mitigation: false, active: false }],
    ["ended", "resolved = true", { resolved: true, active: false, ended: true }],
    ["ended", "comment = 'late'", { comment: "late", active: false }],
  ])("%s: %s sets the state that follows", async (key, assignments, expected) => {
    expect(await set(key, assignments)).toMatchObject([expected]);
  });

  test("a false alarm that is none becomes active again", async () => {
    await set("live", "ignored = true");
    expect(await set("live", "ignored = false")).toMatchObject([{ ignored: false, active: true }]);
  });

  test.each([
    ["live", "resolved = true, ignored = true", /live cannot be both resolved and ignored/],
    ["live", "ignored = true, under_mitigation = true", /live is not active, so it cannot be under mitigation/],
    ["ended", "under_mitigation = true", /ended is not active, so it cannot be under mitigation/],
    ["live", "comment = repeat('x', 10001)", /comment of hijack live has 10001 characters; at most 10000/],
  ])("%s: rejects %s", async (key, assignments, message) => {
    await expect(set(key, assignments)).rejects.toMatchObject({
      code: "23514",
      message: expect.stringMatching(message),
    });
    expect(await events()).toEqual([]);
  });

  test("a hijack resolved by mistake becomes active again, and the audit trail has both ends", async () => {
    await set("live", "resolved = true");
    expect(await set("live", "resolved = false")).toMatchObject([{ resolved: false, active: true, ended: false }]);
    const details = (await events()) as { detail: { before: object; after: object } }[];
    const time = expect.stringMatching(/^\d{4}-/) as string;
    expect(details.map(({ detail }) => [detail.before, detail.after])).toEqual([
      [
        { resolved: false, time_ended: null },
        { resolved: true, time_ended: time },
      ],
      [
        { resolved: true, time_ended: time },
        { resolved: false, time_ended: null },
      ],
    ]);
  });

  test("a resolved hijack that is a false alarm has no end", async () => {
    await set("live", "resolved = true");
    expect(await set("live", "resolved = false, ignored = true")).toMatchObject([
      { ignored: true, active: false, ended: false },
    ]);
  });

  test("a withdrawn hijack keeps its end when it is no longer resolved", async () => {
    await set("ended", "resolved = true");
    expect(await set("ended", "resolved = false")).toMatchObject([{ resolved: false, active: false, ended: true }]);
  });

  test("a resolved hijack with a later record stays resolved, and the error names that record", async () => {
    await set("live", "resolved = true");
    await using owner = await database.connect("owner");
    await owner.query(`insert into routing.hijacks (key, type, prefix, hijack_as, ${times}) values
      ('later', 'E|0|-|-', '192.0.2.0/24', 64500, '2026-02-01', '2026-02-01', '2026-02-01')`);
    await expect(set("live", "resolved = false")).rejects.toMatchObject({
      code: "23514",
      message: expect.stringMatching(
        /live cannot become active again: hijack later is a later record of it, of 2026-02-01/,
      ) as string,
    });
    expect(await set("later", "resolved = true")).toMatchObject([{ resolved: true }]);
    expect(await set("later", "resolved = false")).toMatchObject([{ active: true, ended: false }]);
  });

  test("each change leaves one audit event with its user, before and after", async () => {
    await set("live", "ignored = true, comment = 'a test'", { "x-hasura-role": "operator", "x-hasura-user-id": "u1" });
    await set("live", "comment = 'a test'");
    expect(await events()).toEqual([
      {
        event: "hijack-changed",
        outcome: "success",
        user_id: "u1",
        detail: {
          hijack: "live",
          role: "operator",
          before: { ignored: false, comment: "" },
          after: { ignored: true, comment: "a test" },
        },
      },
    ]);
  });

  test("an audit event names credential, address and request of the engine's session", async () => {
    await set("live", "seen = true", {
      "x-hasura-user-id": "u1",
      "x-hasura-audit-credential": "token t1",
      "x-hasura-audit-address": "2001:db8::7",
      "x-hasura-audit-request-id": "r1",
    });
    expect(
      await rowsOf(
        database,
        "owner",
        "select address, request_id, detail ->> 'credential' as credential from auth.audit_events",
      ),
    ).toEqual([{ address: "2001:db8::7", request_id: "r1", credential: "token t1" }]);
  });

  test("an audit event keeps the start, length and hash of a long comment", async () => {
    await set("live", "comment = repeat('界', 10000)", { "x-hasura-user-id": "u".repeat(5000) });
    const [event] = (await rowsOf(
      database,
      "owner",
      "select pg_column_size(audit_events.*) as bytes, user_id, detail -> 'after' -> 'comment' as comment from auth.audit_events",
    )) as { bytes: number; user_id: string; comment: object }[];
    expect(event?.comment).toEqual({
      start: "界".repeat(200),
      length: 10_000,
      sha256: createHash("sha256").update("界".repeat(10_000)).digest("hex"),
    });
    expect(event?.user_id).toHaveLength(200);
    expect(event?.bytes).toBeLessThan(2500);
  });

  test("an account changes at most 10,000 hijacks within an hour, also in one statement", async () => {
    await using owner = await database.connect("owner");
    await owner.query(`insert into auth.audit_events (event, outcome, user_id, detail)
      select 'hijack-changed', 'success', 'u1', '{}' from generate_series(1, 9999)`);
    const change = async (account: string, condition: string): Promise<void> => {
      await using engine = await database.connect("engine");
      await engine.query("begin read write");
      await engine.query("select set_config('hasura.user', $1, true)", [
        JSON.stringify({ "x-hasura-user-id": account }),
      ]);
      await engine.query(`update public.view_hijacks set seen = not seen where ${condition}`);
      await engine.query("commit");
    };
    await expect(change("u1", "true")).rejects.toMatchObject({
      code: "23514",
      message: expect.stringMatching(/changed 10000 hijacks within/),
    });
    expect(await events()).toHaveLength(9999);
    await change("u1", "key = 'live'");
    await expect(change("u1", "key = 'live'")).rejects.toThrow(/changed 10000 hijacks within an hour/);
    await change("u2", "true");
    await owner.query("update auth.audit_events set occurred_at = occurred_at - interval '2 hours'");
    await change("u1", "true");
  });

  test("changes of one account at the same time share its bound", async () => {
    await using owner = await database.connect("owner");
    await owner.query(`insert into auth.audit_events (event, outcome, user_id, detail)
      select 'hijack-changed', 'success', 'u1', '{}' from generate_series(1, 9999)`);
    await using one = await database.connect("engine");
    await using other = await database.connect("engine");
    const begin = async (engine: typeof one, account: string): Promise<void> => {
      const session = JSON.stringify({ "x-hasura-user-id": account });
      await engine.query("begin read write");
      await engine.query("select set_config('hasura.user', $1, true)", [session]);
    };
    await begin(one, "u1");
    await one.query("update public.view_hijacks set seen = not seen where key = 'live'");
    await begin(other, "u1");
    const second = other.query("update public.view_hijacks set seen = not seen where key = 'ended'");
    second.catch(() => undefined);
    const waiting = "select from pg_stat_activity where wait_event = 'advisory' and usename = 'routeql_engine'";
    await expect.poll(() => rowsOf(database, "bootstrap", waiting)).toHaveLength(1);
    await one.query("commit");
    await expect(second).rejects.toThrow(/changed 10000 hijacks within an hour/);
    await other.query("rollback");
    // Other accounts wait for nothing.
    await begin(one, "u2");
    await one.query("update public.view_hijacks set seen = not seen where key = 'live'");
    await begin(other, "u3");
    await other.query("update public.view_hijacks set seen = not seen where key = 'ended'");
    await Promise.all([one.query("commit"), other.query("commit")]);
  });

  test("an audit event disappears with a change that is rolled back", async () => {
    await using engine = await database.connect("engine");
    await engine.query("begin read write; update view_hijacks set seen = true; rollback");
    expect(await events()).toEqual([]);
  });

  test("a change without a session is recorded with the role of the database", async () => {
    await using owner = await database.connect("owner");
    await owner.query("update routing.hijacks set seen = true where key = 'live'");
    expect(await events()).toMatchObject([{ user_id: null, detail: { role: "routeql_owner" } }]);
  });

  test.each(["active = true", "key = 'x'", "time_ended = null", "withdrawn = false"])(
    "the engine may not set %s",
    async (assignments) => {
      await expect(set("live", assignments)).rejects.toMatchObject({ code: "42501" });
    },
  );

  test("view_hijacks holds no rows of its own", async () => {
    await using owner = await database.connect("owner");
    await expect(owner.query("insert into view_hijacks (key) values ('mine')")).rejects.toMatchObject({
      code: "23514",
    });
    expect(await rowsOf(database, "engine", "select count(*)::int as rows from view_hijacks")).toEqual([{ rows: 3 }]);
  });
});
