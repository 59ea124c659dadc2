import { beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { updateFields, views } from "./support/data/fields.ts";
import { data, master, refusal } from "./support/clients/graphql.ts";

describe("What the service does", () => {
  let analyst: Member;

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
  });

  test("2: queries are written against the schema that the engine generates from the database", async () => {
    const query = '{ __type(name: "view_bgpupdates") { fields { name type { name kind } } } }';
    const answer = await data<{ __type: { fields: { name: string; type: { name: string | null; kind: string } }[] } }>(
      query,
      await analyst.caller(),
    );
    const types = Object.fromEntries(answer.__type.fields.map(({ name, type }) => [name, type.name ?? type.kind]));
    expect(types).toMatchObject({
      prefix: "inet",
      origin_as: "bigint",
      timestamp: "timestamp",
      handled: "Boolean",
      communities: "json",
      as_path: "LIST",
    });
  });

  test("3: or with the master access key, which is all-powerful", async () => {
    const answer = await data<{ view_bgpupdates: unknown[]; __schema: { queryType: { fields: { name: string }[] } } }>(
      "{ view_bgpupdates(limit: 10001) { type } __schema { queryType { fields { name } } } }",
      master,
    );
    expect(answer.view_bgpupdates).toHaveLength(10_001);
    const roots = answer.__schema.queryType.fields.map(({ name }) => name);
    expect(roots).toEqual(
      expect.arrayContaining([
        "view_bgpupdates",
        "view_hijacks",
        "view_bgpupdates_hijacks",
        "view_configured_prefixes",
      ]),
    );
  });

  test("3: a wrong master key is rejected", async () => {
    const { extensions } = await refusal("{ __typename }", { masterKey: "0".repeat(64) });
    expect(extensions.code).toBe("access-denied");
  });
});

describe("Resources and their fields", () => {
  test.each(views)("the queryable root field $view accepts limit and order_by", async ({ view, sort }) => {
    const query =
      '{ __type(name: "query_root") { fields { name args { name type { name kind ofType { kind ofType { name } } } } } } }';
    const answer = await data<{
      __type: { fields: { name: string; args: { name: string; type: { name: string | null } }[] }[] };
    }>(query, master);
    const field = answer.__type.fields.find(({ name }) => name === view);
    const args = field?.args.map(({ name }) => name) ?? [];
    expect(args.toSorted()).toEqual(["distinct_on", "limit", "offset", "order_by", "where"]);
    expect(field?.args.find(({ name }) => name === "limit")?.type.name).toBe("Int");
    await data(`{ ${view}(limit: 1, order_by: {${sort}: desc}) { ${sort} } }`, master);
  });

  test("an analyst's root fields are the views, their link and their aggregates", async () => {
    const analyst = await Member.join("analyst");
    const answer = await data<{ __schema: { queryType: { fields: { name: string }[] }; mutationType: unknown } }>(
      "{ __schema { queryType { fields { name } } mutationType { name } } }",
      await analyst.caller(),
    );
    const roots = answer.__schema.queryType.fields.map(({ name }) => name);
    expect(roots).toEqual(
      expect.arrayContaining([
        "view_bgpupdates",
        "view_bgpupdates_aggregate",
        "view_hijacks",
        "view_hijacks_aggregate",
      ]),
    );
    expect(roots.filter((name) => !name.startsWith("view_"))).toEqual([]);
    expect(answer.__schema.mutationType).toBeNull();
  });

  test("limit rejects negative numbers and order_by unknown fields", async () => {
    const negative = await refusal(`{ view_bgpupdates(limit: -1) { ${updateFields[0]} } }`, master);
    expect(negative.message).toContain("non-negative");
    const unknown = await refusal("{ view_bgpupdates(order_by: {no_such_field: desc}) { type } }", master);
    expect(unknown.extensions.code).toBe("validation-failed");
  });
});
