import { beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { specifiedQuery, views } from "./support/data/fields.ts";
import { data, headersOf, master, post } from "./support/clients/graphql.ts";
import { call } from "./support/clients/http.ts";

describe("Endpoints, GraphQL", () => {
  let analyst: Member;

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
  });

  test.each(views)(
    "POST /api/graphql with a bearer token and a body with query: the specified query on $view",
    async (view) => {
      const reply = await post(specifiedQuery(view), await analyst.caller());
      expect(reply.status).toBe(200);
      expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
      const body = reply.json() as { data: Record<string, Record<string, unknown>[]> };
      expect(Object.keys(body)).toEqual(["data"]);
      const rows = body.data[view.view] as Record<string, unknown>[];
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.length).toBeLessThanOrEqual(10);
      for (const row of rows) expect(Object.keys(row)).toEqual(view.fields);
    },
  );

  test.each(views)("POST /api/graphql with the master key header: the specified query on $view", async (view) => {
    const answer = await data<Record<string, unknown[]>>(specifiedQuery(view), master);
    expect((answer[view.view] as unknown[]).length).toBeGreaterThan(0);
  });

  test("variables, operation names, aliases and fragments are the engine's own GraphQL", async () => {
    const body = {
      query:
        "query a { __typename } query b($n: Int!) { newest: view_bgpupdates(limit: $n, order_by: {timestamp: desc}) { ...f } } fragment f on view_bgpupdates { at: timestamp }",
      operationName: "b",
      variables: { n: 2 },
    };
    const reply = await call("/api/graphql", { method: "POST", headers: headersOf(await analyst.caller()), body });
    const answer = reply.json() as { data: { newest: { at: string }[] } };
    expect(answer.data.newest).toHaveLength(2);
    expect(answer.data.newest[0]?.at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/);
  });

  test("where, offset, distinct_on and aggregates work on both views", async () => {
    const caller = await analyst.caller();
    const answer = await data<{
      all: { aggregate: { count: number } };
      announced: { aggregate: { count: number } };
      withdrawn: { aggregate: { count: number } };
      types: { type: string }[];
      hijacks: { aggregate: { count: number } };
    }>(
      `{ all: view_bgpupdates_aggregate { aggregate { count } }
         announced: view_bgpupdates_aggregate(where: {type: {_eq: "A"}}) { aggregate { count } }
         withdrawn: view_bgpupdates_aggregate(where: {type: {_eq: "W"}}) { aggregate { count } }
         types: view_bgpupdates(distinct_on: type, order_by: {type: asc}) { type }
         hijacks: view_hijacks_aggregate(where: {_not: {ignored: {_eq: true}}}) { aggregate { count } } }`,
      caller,
    );
    expect(answer.all.aggregate.count).toBeGreaterThan(0);
    expect(answer.announced.aggregate.count + answer.withdrawn.aggregate.count).toBe(answer.all.aggregate.count);
    expect(answer.types).toEqual([{ type: "A" }, { type: "W" }]);
    expect(answer.hijacks.aggregate.count).toBeGreaterThan(0);
    const pages = await data<{ first: unknown[]; second: unknown[]; both: unknown[] }>(
      `{ first: view_hijacks(limit: 2, order_by: {key: asc}) { key }
         second: view_hijacks(limit: 2, offset: 2, order_by: {key: asc}) { key }
         both: view_hijacks(limit: 4, order_by: {key: asc}) { key } }`,
      caller,
    );
    expect([...pages.first, ...pages.second]).toEqual(pages.both);
  });

  test("the database refuses the master key's deletion of updates", async () => {
    const reply = await post("mutation { delete_view_bgpupdates(where: {}) { affected_rows } }", master);
    const { errors } = reply.json() as { errors: { extensions: { code: string } }[] };
    // The schema of admin has every mutation; the engine's database role may not execute this one.
    expect(errors[0]?.extensions.code).toBe("unexpected");
  });

  test("GET /api/graphql without an upgrade is 405", async () => {
    const reply = await call("/api/graphql", { headers: headersOf(await analyst.caller()) });
    expect(reply.status).toBe(405);
  });
});
