import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createEngine, MetadataError } from "@routeql/engine";
import { Database } from "@routeql/engine/execution/database/database";
import { sql } from "@routeql/engine/sql";
import { sessionOf, startRouting, type RoutingWorld } from "./support/routing.ts";
import { sourceAt } from "./support/source.ts";

let world: RoutingWorld;

beforeAll(async () => {
  world = await startRouting({ statementTimeout: 2_000, poolSize: 2 });
});

afterAll(async () => world[Symbol.asyncDispose]());

const waiting = "{ view_hijacks { key } }";

/** Blocks statements on hijacks by a lock while the work runs. */
async function withLock(work: () => Promise<void>): Promise<void> {
  await using owner = await world.database.connect("owner");
  await owner.query("begin");
  await owner.query("lock table routing.hijacks in access exclusive mode");
  try {
    await work();
  } finally {
    await owner.query("rollback");
  }
}

describe("a plan", () => {
  test("is reused for other values of its variables", async () => {
    const query = "query($key: String) { view_hijacks(where: {key: {_eq: $key}}) { key } }";
    const before = world.engine.statistics().plans;
    for (const key of ["h1", "h2", "h3", "h1"])
      expect(await world.ask("analyst", query, { key })).toEqual({ view_hijacks: [{ key }] });
    const after = world.engine.statistics().plans;
    expect([after.misses - before.misses, after.hits - before.hits]).toEqual([1, 3]);
  });

  test("differs if a variable changes the statement", async () => {
    const query =
      "query($limit: Int, $with: Boolean!) { view_hijacks(limit: $limit, order_by: {key: asc}) { key type @include(if: $with) } }";
    expect(await world.ask("analyst", query, { limit: 1, with: false })).toEqual({ view_hijacks: [{ key: "h1" }] });
    expect(await world.ask("analyst", query, { limit: 2, with: false })).toEqual({
      view_hijacks: [{ key: "h1" }, { key: "h2" }],
    });
    expect(await world.ask("analyst", query, { limit: 1, with: true })).toEqual({
      view_hijacks: [{ key: "h1", type: "E|0|-|-" }],
    });
    expect(await world.ask("analyst", query, { with: false })).toEqual({
      view_hijacks: [{ key: "h1" }, { key: "h2" }, { key: "h3" }],
    });
  });

  test("checks the values of every request", async () => {
    const query = "query($peers: Int) { view_hijacks(where: {num_peers_seen: {_eq: $peers}}) { key } }";
    expect(await world.ask("analyst", query, { peers: 3 })).toEqual({ view_hijacks: [{ key: "h1" }] });
    await expect(world.ask("analyst", query, { peers: true })).rejects.toMatchObject({
      code: "parse-failed",
      path: "$.selectionSet.view_hijacks.args.where.num_peers_seen._eq",
    });
    await expect(world.ask("analyst", query, { peers: "many" })).rejects.toMatchObject({
      code: "data-exception",
      path: "$",
      message: 'invalid input syntax for type integer: "many"',
    });
    await expect(world.ask("analyst", query, { peers: null })).rejects.toMatchObject({
      path: "$.selectionSet.view_hijacks.args.where.num_peers_seen._eq",
      message: "unexpected null value for type 'Int'",
    });
  });

  test("accepts a single variable value as a list, and names an invalid item", async () => {
    const query =
      "query($seen: [Int!], $keys: [String!]) { view_hijacks(where: {num_peers_seen: {_in: $seen}, key: {_in: $keys}}) { key } }";
    const ask = (seen: unknown, keys: unknown) => world.ask("analyst", query, { seen, keys });
    const at = "$.selectionSet.view_hijacks.args.where";
    expect(await ask(3, "h1")).toEqual({ view_hijacks: [{ key: "h1" }] });
    expect(await ask([3, 3], ["h1", "{h2}"])).toEqual({ view_hijacks: [{ key: "h1" }] });
    await expect(ask([3, null], [])).rejects.toMatchObject({
      code: "validation-failed",
      path: `${at}.num_peers_seen._in[1]`,
      message: "unexpected null value for type 'Int'",
    });
    await expect(ask([3], ["h1", 2])).rejects.toMatchObject({ code: "parse-failed", path: `${at}.key._in[1]` });
    await expect(ask(null, [])).rejects.toMatchObject({
      code: "validation-failed",
      path: `${at}.num_peers_seen._in`,
      message: "expected a list, but found null",
    });
  });
});

test("a subscription is rejected as a query, after its validation errors", async () => {
  await expect(world.ask("analyst", "subscription { view_hijacks { key } }")).rejects.toMatchObject({
    code: "unexpected-payload",
    message: "subscriptions are not supported over HTTP, use websockets instead",
  });
  await expect(world.ask("analyst", "subscription { view_hijacks { nothing } }")).rejects.toMatchObject({
    code: "validation-failed",
    path: "$.selectionSet.view_hijacks.selectionSet.nothing",
  });
});

test("several root fields use one snapshot of the database and keep their order", async () => {
  const data = await world.ask(
    "analyst",
    '{ b: view_hijacks_aggregate { aggregate { count } } t: __typename a: view_hijacks(where: {key: {_eq: "h1"}}) { key } }',
  );
  expect(Object.keys(data as object)).toEqual(["b", "t", "a"]);
  expect(data).toEqual({ b: { aggregate: { count: 3 } }, t: "query_root", a: [{ key: "h1" }] });
});

describe("a statement", () => {
  /** Without time limits. */
  const withOneConnection = (): Database =>
    new Database({
      connection: { connectionString: world.database.getConnectionUri("engine") },
      poolSize: 1,
      statementTimeout: 600_000,
      idleTimeout: 600_000,
      onConnectionLost: () => undefined,
    });

  test("ends with a timeout when it exceeds the limit", () =>
    withLock(async () => {
      await expect(world.ask("analyst", waiting)).rejects.toMatchObject({ code: "timeout" });
    }));

  test("is cancelled in Postgres when its client disconnects, and its connection stays usable", async () => {
    const database = withOneConnection();
    await using admin = await world.database.connect("bootstrap");
    const own = sql`select pg_backend_pid()::text`;
    const [[id] = []] = await database.run({ text: own, values: [] });
    const stateOf = async () =>
      (await admin.query<{ state: string }>("select state from pg_stat_activity where pid = $1::int", [id])).rows[0]
        ?.state;
    const leaving = new AbortController();
    const running = expect(
      database.run({ text: sql`select pg_sleep(600)::text`, values: [] }, { signal: leaving.signal }),
    ).rejects.toThrow("left");
    await expect.poll(stateOf).toBe("active");
    leaving.abort(new Error("left"));
    await expect.poll(stateOf).toBe("idle");
    await running;
    expect(await database.run({ text: own, values: [] })).toEqual([[id]]);
    await database.close();
  });

  test("does not run if its client disconnects while it waits for a connection", async () => {
    const database = withOneConnection();
    const leaving = new AbortController();
    const first = database.run({ text: sql`select pg_sleep(0.3)::text`, values: [] });
    const second = expect(
      database.run({ text: sql`select pg_sleep(30)::text`, values: [] }, { signal: leaving.signal }),
    ).rejects.toThrow("left");
    leaving.abort(new Error("left"));
    await Promise.all([first, second]);
    expect(await database.run({ text: sql`select 1`, values: [] })).toEqual([["1"]]);
    await database.close();
  });

  test("reports Postgres' error about the request's values, and hides other errors", async () => {
    await expect(world.ask("analyst", '{ view_hijacks(where: {prefix: {_eq: "x"}}) { key } }')).rejects.toMatchObject({
      code: "data-exception",
      message: 'invalid input syntax for type inet: "x"',
    });
    await expect(
      world.ask("analyst", '{ view_bgpupdates(where: {communities: {_eq: "[]"}}) { prefix } }'),
    ).rejects.toMatchObject({ code: "unexpected", message: "database query error" });
  });
});

test("explain shows the statement and Postgres' plan", async () => {
  const explained = {
    sql: expect.stringMatching(/^SELECT coalesce/),
    plan: expect.arrayContaining([expect.stringMatching(/Aggregate/)]),
  };
  expect(await world.engine.explain({ query: "{ __typename view_hijacks { key } }" }, sessionOf("admin"))).toEqual([
    { field: "__typename", sql: null, plan: null },
    { field: "view_hijacks", ...explained },
  ]);
  const live = {
    query: "subscription ($key: String) { view_hijacks(where: {key: {_eq: $key}}) { key } }",
    variables: { key: "h1" },
  };
  expect(await world.engine.explain(live, sessionOf("admin"))).toEqual({
    ...explained,
    changes: { noticed: true, tables: ["public.view_hijacks", "routing.hijacks"], reason: null },
    variables: { session: {}, query: { key: "h1" }, synthetic: [], cursor: {} },
  });
  const listed = {
    query: "subscription ($seen: [Int!]) { view_hijacks(where: {num_peers_seen: {_in: $seen}}) { key } }",
    variables: { seen: [1, 2, 3] },
  };
  expect(await world.engine.explain(listed, sessionOf("admin"))).toMatchObject({
    variables: { synthetic: ["{1,2,3}"] },
  });
  const streamed = {
    query:
      'subscription { view_hijacks_stream(batch_size: 1, cursor: {initial_value: {time_started: "2026-01-01T00:00:00"}}) { key } }',
  };
  expect(await world.engine.explain(streamed, sessionOf("admin"))).toMatchObject({
    variables: { cursor: { time_started: "2026-01-01T00:00:00" } },
  });
  await expect(
    world.engine.explain({ query: "mutation { insert_x { id } }" }, sessionOf("admin")),
  ).rejects.toMatchObject({ code: "invalid-params", message: "only queries can be explained" });
});

test("inconsistent metadata prevents the start and leaves a running engine unchanged", async () => {
  const url = world.database.getConnectionUri("engine");
  const broken = {
    version: 3,
    sources: [
      sourceAt(url, {
        tables: [
          { table: "view_hijacks", select_permissions: [{ role: "a", permission: { columns: ["kee"], filter: {} } }] },
          { table: "nowhere" },
        ],
      }),
    ],
  };
  await expect(createEngine({ metadata: broken })).rejects.toThrow(
    /no table or view public\.nowhere[\s\S]*has no column kee|has no column kee[\s\S]*no table or view public\.nowhere/,
  );
  await expect(world.engine.reload(broken)).rejects.toBeInstanceOf(MetadataError);
  expect(await world.ask("analyst", "{ view_hijacks_aggregate { aggregate { count } } }")).toEqual({
    view_hijacks_aggregate: { aggregate: { count: 3 } },
  });
});

test("a reload applies immediately, and running requests finish on the old connections", async () => {
  const running = world.ask("analyst", "{ view_hijacks_aggregate { aggregate { count } } }");
  const before = world.engine.revision;
  await world.engine.reload();
  expect(await running).toEqual({ view_hijacks_aggregate: { aggregate: { count: 3 } } });
  expect(world.engine.revision).toBe(before + 1);
});
