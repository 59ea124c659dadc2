import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { sessionOf, startRouting, type RoutingWorld } from "./support/routing.ts";

let world: RoutingWorld;

beforeAll(async () => {
  world = await startRouting();
});

afterAll(async () => world[Symbol.asyncDispose]());

function prepare(
  role: string,
  query: string,
  variables: Record<string, unknown> = {},
  session: Record<string, string> = {},
) {
  return world.engine.prepareSubscription({ query, variables }, sessionOf(role, session));
}

const byPrefix = "subscription($prefix: inet) { updates: view_bgpupdates(where: {prefix: {_eq: $prefix}}) { prefix } }";

describe("live queries", () => {
  test("that differ only in variables share a cohort, and one statement answers them in order", async () => {
    const prefixes = ["203.0.113.0/24", "192.0.2.0/24", "198.51.100.0/24", "192.0.2.0/24"];
    const prepared = prefixes.map((prefix) => prepare("analyst", byPrefix, { prefix }));
    const [first] = prepared;
    expect(new Set(prepared.map(({ cohortKey }) => cohortKey)).size).toBe(1);
    const answers = await world.engine.poll(
      first?.cohortKey ?? "",
      prepared.map(({ parameters }) => parameters),
    );
    expect(answers.map(({ text }) => JSON.parse(text) as unknown)).toEqual(
      prefixes.map((prefix) => ({ data: { updates: [{ prefix }] } })),
    );
  });

  test("share a cohort when a whole condition is the variable and only its values differ", () => {
    const query = "subscription($where: view_hijacks_bool_exp!) { view_hijacks(where: $where) { key } }";
    const one = prepare("analyst", query, { where: { key: { _eq: "h1" } } });
    const two = prepare("analyst", query, { where: { key: { _eq: "h2" } } });
    const other = prepare("analyst", query, { where: { key: { _gt: "h2" } } });
    expect(two.cohortKey).toBe(one.cohortKey);
    expect(other.cohortKey).not.toBe(one.cohortKey);
  });

  test("with a value that Postgres rejects fail alone", async () => {
    const good = prepare("analyst", byPrefix, { prefix: "192.0.2.0/24" });
    const bad = prepare("analyst", byPrefix, { prefix: "no prefix" });
    const answers = await world.engine.poll(good.cohortKey, [good.parameters, bad.parameters]);
    expect(answers.map(({ failed }) => failed)).toEqual([false, true]);
    expect(JSON.parse(answers[1]?.text ?? "")).toMatchObject({ errors: [{ extensions: { code: "data-exception" } }] });
  });

  test.each([
    'subscription { view_hijacks(where: {key: {_regex: "("}}) { key } }',
    "subscription { view_hijacks_stream(batch_size: 1, cursor: {initial_value: {active: false}}) { key } }",
  ])("fail without details as in Hasura: %s", async (query) => {
    const { cohortKey, parameters } = prepare("admin", query);
    const [answer] = await world.engine.poll(cohortKey, [parameters]);
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ errors: [{ extensions: { code: "unexpected" } }] });
  });

  test("report a wrong value before a missing operator, as Hasura does", async () => {
    const query = 'subscription { view_bgpupdates(where: {prefix: {_eq: "x"}, communities: {_eq: []}}) { prefix } }';
    const { cohortKey, parameters } = prepare("admin", query);
    const [answer] = await world.engine.poll(cohortKey, [parameters]);
    expect(JSON.parse(answer?.text ?? "")).toMatchObject({ errors: [{ extensions: { code: "data-exception" } }] });
  });

  test("without subscribers are cancelled in Postgres", async () => {
    await using admin = await world.database.connect("bootstrap");
    await using owner = await world.database.connect("owner");
    await owner.query("begin");
    await owner.query("lock table routing.hijacks in access exclusive mode");
    const waiting = async () => {
      const { rowCount } = await admin.query(
        "select from pg_stat_activity where application_name = 'routeql-engine' and wait_event_type = 'Lock'",
      );
      return rowCount;
    };
    const query = "subscription($key: String) { view_hijacks(where: {key: {_eq: $key}}) { key } }";
    const members = ["h1", "h3"].map((key) => prepare("analyst", query, { key }));
    const leaving = new AbortController();
    const poll = world.engine.poll(
      members[0]?.cohortKey ?? "",
      members.map(({ parameters }) => parameters),
      { signal: leaving.signal },
    );
    const left = expect(poll).rejects.toThrow("nobody listens");
    await expect.poll(waiting).toBe(1);
    leaving.abort(new Error("nobody listens"));
    await left;
    expect(await waiting()).toBe(0);
    await owner.query("rollback");
  });

  test("are dropped on release or when the metadata changes", async () => {
    const { cohortKey, parameters } = prepare("analyst", byPrefix, { prefix: "192.0.2.0/24" });
    world.engine.release(cohortKey);
    await expect(world.engine.poll(cohortKey, [parameters])).rejects.toThrow("not known any more");
  });
});

describe("streams", () => {
  const query = `subscription($from: timestamp!) { view_bgpupdates_stream(batch_size: 2, cursor: {initial_value: {timestamp: $from}}) { timestamp } }`;

  test("continue after the last row, to the microsecond, and are empty at the end", async () => {
    const stream = prepare("analyst", query, { from: "2000-01-01" });
    expect(stream.kind).toBe("stream");
    const seen: unknown[] = [];
    let { parameters } = stream;
    for (;;) {
      const [answer] = await world.engine.poll(stream.cohortKey, [parameters]);
      if (answer === undefined || answer.empty) break;
      seen.push(
        ...(
          JSON.parse(answer.text) as { data: { view_bgpupdates_stream: { timestamp: string }[] } }
        ).data.view_bgpupdates_stream.map(({ timestamp }) => timestamp),
      );
      parameters = answer.nextParameters ?? parameters;
    }
    expect(seen).toEqual([
      "2026-01-01T10:00:00.123456",
      "2026-01-02T00:00:00",
      "2026-01-03T00:00:00",
      "2026-01-04T00:00:00",
    ]);
  });

  test("one statement answers readers at different positions", async () => {
    const start = prepare("analyst", query, { from: "2000-01-01" });
    const later = prepare("analyst", query, { from: "2026-01-03" });
    expect(later.cohortKey).toBe(start.cohortKey);
    const answers = await world.engine.poll(start.cohortKey, [start.parameters, later.parameters]);
    expect(answers.map(({ nextParameters }) => nextParameters)).toEqual([
      ["2026-01-02 00:00:00"],
      ["2026-01-04 00:00:00"],
    ]);
  });

  test("apply the role's filter", async () => {
    const tenant = prepare("tenant", query, { from: "2000-01-01" }, { "x-hasura-org-id": "org-2" });
    const [answer] = await world.engine.poll(tenant.cohortKey, [tenant.parameters]);
    expect(JSON.parse(answer?.text ?? "")).toEqual({
      data: { view_bgpupdates_stream: [{ timestamp: "2026-01-03T00:00:00" }] },
    });
  });
});
