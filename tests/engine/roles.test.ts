import { Database } from "@routeql/engine/execution/database";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startRouting, type RoutingWorld } from "./support/routing.ts";

let world: RoutingWorld;

beforeAll(async () => {
  world = await startRouting();
});

afterAll(async () => world[Symbol.asyncDispose]());

const org = (id: string) => ({ "x-hasura-org-id": id });

describe("the specified queries", () => {
  test("return every field of the updates, with microseconds and numbers as Postgres prints them", async () => {
    const query = `{ view_bgpupdates(limit: 1, order_by: {timestamp: asc}) {
      as_path communities handled hijack_key matched_prefix orig_path origin_as peer_asn prefix service timestamp type } }`;
    expect(await world.ask("analyst", query)).toEqual({
      view_bgpupdates: [
        {
          as_path: [64510, 64500],
          communities: [[64510, 1]],
          handled: false,
          hijack_key: ["h1"],
          matched_prefix: "192.0.2.0/24",
          orig_path: null,
          origin_as: 64500,
          peer_asn: 64510,
          prefix: "192.0.2.0/24",
          service: "ripe-ris|rrc00",
          timestamp: "2026-01-01T10:00:00.123456",
          type: "A",
        },
      ],
    });
  });

  test("order hijacks by their last time, nulls first when descending", async () => {
    const data = await world.ask("analyst", "{ view_hijacks(limit: 10, order_by: {time_last: desc}) { key } }");
    expect(data).toEqual({ view_hijacks: [{ key: "h3" }, { key: "h2" }, { key: "h1" }] });
  });
});

describe("viewer", () => {
  test("sees only hijacks that are not ignored, also through links", async () => {
    const query = `{ view_hijacks(order_by: {key: asc}) { key update_links { hijack_key } }
      view_bgpupdates(order_by: {timestamp: asc}) { prefix hijack_links { hijack_key hijack { key } } }
      view_bgpupdates_hijacks(order_by: {hijack_key: asc}) { hijack_key } }`;
    expect(await world.ask("viewer", query)).toEqual({
      view_hijacks: [
        { key: "h1", update_links: [{ hijack_key: "h1" }] },
        { key: "h3", update_links: [{ hijack_key: "h3" }] },
      ],
      view_bgpupdates: [
        { prefix: "192.0.2.0/24", hijack_links: [{ hijack_key: "h1", hijack: { key: "h1" } }] },
        { prefix: "192.0.2.128/25", hijack_links: [] },
        { prefix: "198.51.100.0/24", hijack_links: [{ hijack_key: "h3", hijack: { key: "h3" } }] },
        { prefix: "203.0.113.0/24", hijack_links: [] },
      ],
      view_bgpupdates_hijacks: [{ hijack_key: "h1" }, { hijack_key: "h3" }],
    });
  });

  test("finds no ignored hijack by filtering through links", async () => {
    const query = `{ view_bgpupdates(where: {hijack_links: {hijack: {hijack_as: {_eq: 64501}}}}) { prefix } }`;
    expect(await world.ask("viewer", query)).toEqual({ view_bgpupdates: [] });
    expect(await world.ask("analyst", query)).toEqual({ view_bgpupdates: [{ prefix: "192.0.2.128/25" }] });
  });

  test.each(["comment", "community_annotation"])("has no %s", async (column) => {
    await expect(world.ask("viewer", `{ view_hijacks { ${column} } }`)).rejects.toThrow(
      `field '${column}' not found in type: 'view_hijacks'`,
    );
    await expect(world.ask("viewer", `{ view_hijacks(where: {${column}: {_eq: "private"}}) { key } }`)).rejects.toThrow(
      "not found",
    );
  });

  test.each(["communities", "orig_path"])("has no %s of updates", async (column) => {
    await expect(world.ask("viewer", `{ view_bgpupdates { ${column} } }`)).rejects.toThrow("not found");
    await expect(world.ask("viewer", `{ view_bgpupdates_hijacks { update { ${column} } } }`)).rejects.toThrow(
      "not found",
    );
  });

  test("has no aggregates", async () => {
    await expect(world.ask("viewer", "{ view_hijacks_aggregate { aggregate { count } } }")).rejects.toThrow(
      "not found",
    );
  });
});

describe("tenant", () => {
  const everything = `{ view_hijacks(order_by: {key: asc}) { key } view_bgpupdates(order_by: {timestamp: asc}) { prefix }
    view_bgpupdates_hijacks(order_by: {hijack_key: asc}) { hijack_key } view_hijacks_aggregate { aggregate { count } } }`;

  test.each([
    ["org-1", ["h1", "h2"], ["192.0.2.0/24", "192.0.2.128/25"]],
    ["org-2", ["h3"], ["198.51.100.0/24"]],
    ["org-3", [], []],
  ])("of %s sees only its own rows", async (id, keys, prefixes) => {
    expect(await world.ask("tenant", everything, {}, org(id))).toEqual({
      view_hijacks: keys.map((key) => ({ key })),
      view_bgpupdates: prefixes.map((prefix) => ({ prefix })),
      view_bgpupdates_hijacks: keys.map((key) => ({ hijack_key: key })),
      view_hijacks_aggregate: { aggregate: { count: keys.length } },
    });
  });

  test("without an organisation sees only an error", async () => {
    await expect(world.ask("tenant", "{ view_hijacks { key } }")).rejects.toMatchObject({
      code: "not-found",
      message: 'missing session variable: "x-hasura-org-id"',
    });
  });

  test("cannot query the owners of prefixes", async () => {
    await expect(
      world.ask("tenant", "{ view_hijacks { configurations { organisation } } }", {}, org("org-1")),
    ).rejects.toThrow("not found");
    await expect(
      world.ask("tenant", "{ view_configured_prefixes { organisation } }", {}, org("org-1")),
    ).rejects.toThrow("not found");
  });
});

test.each(["pending", "nobody", "anonymous"])("%s has nothing", async (role) => {
  expect(await world.ask(role, "{ __schema { queryType { fields { name } } } }")).toEqual({
    __schema: { queryType: { fields: [{ name: "no_queries_available" }] } },
  });
});

test.each([
  ["analyst", 1000],
  ["operator", 10_000],
  ["viewer", 100],
])("%s gets at most %i rows", async (role, most) => {
  await using owner = await world.database.connect("owner");
  await owner.query(`insert into routing.bgp_updates (key, prefix, origin_as, as_path, service, type, "timestamp")
    select gen_random_uuid(), '203.0.113.0/24', -1, '{}', 'demo|demo', 'W', '2020-01-01'::timestamp + n * interval '1 second' from generate_series(1, 10100) as n`);
  const data = (await world.ask(role, "{ view_bgpupdates { type } }")) as { view_bgpupdates: unknown[] };
  await owner.query("delete from routing.bgp_updates where service = 'demo|demo'");
  expect(data.view_bgpupdates).toHaveLength(most);
});

test("the engine's database role and its connections are read-only", async () => {
  await using engine = await world.database.connect("engine");
  await expect(engine.query("begin read write; delete from public.view_hijacks")).rejects.toThrow(/permission denied/);
  // Even if the role may write.
  const connection = { connectionString: world.database.getConnectionUri("owner") };
  const connections = new Database({
    connection,
    poolSize: 1,
    statementTimeout: 5000,
    idleTimeout: 1000,
    onConnectionLost: () => undefined,
  });
  try {
    const writing = connections.run({ text: "create table public.written ()", values: [] });
    await expect(writing).rejects.toMatchObject({ internal: { error: { status_code: "25006" } } });
  } finally {
    await connections.close();
  }
});
