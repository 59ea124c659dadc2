import { beforeAll, describe, expect, test } from "vitest";
import { makeAccount, Member, type Role } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { database } from "./support/stack/database.ts";
import { northPrefix } from "./support/data/detection.ts";
import { hijackFields, updateFields } from "./support/data/fields.ts";
import { data, refusal } from "./support/clients/graphql.ts";
import { call } from "./support/clients/http.ts";
import { login, sessionHeaders, singleStep } from "./support/clients/sessions.ts";
import { organisations } from "./support/data/small-world.ts";

type Row = Record<string, unknown>;

/** Permissions of each role in design section 1. */
const granted = {
  viewer: {
    hiddenUpdateFields: ["communities", "orig_path"],
    hiddenHijackFields: ["comment", "community_annotation"],
    limit: 100,
    aggregates: false,
  },
  analyst: { hiddenUpdateFields: [], hiddenHijackFields: [], limit: 1000, aggregates: true },
  tenant: { hiddenUpdateFields: [], hiddenHijackFields: [], limit: 1000, aggregates: true },
  operator: { hiddenUpdateFields: [], hiddenHijackFields: [], limit: 10_000, aggregates: true },
} as const satisfies Partial<Record<Role, unknown>>;

const readers = ["viewer", "analyst", "tenant", "operator"] as const;

describe("Authentication, 7: roles determine permissions", () => {
  const members = {} as Record<(typeof readers)[number], Member>;

  beforeAll(async () => {
    await loadDemo();
    for (const role of readers) {
      members[role] = await Member.join(role, role === "tenant" ? { organisation: organisations.north } : {});
    }
  });

  test("a pending user gets no token in either flow", async () => {
    const pending = await makeAccount("pending");
    const direct = await singleStep(pending);
    expect(direct.status).toBe(403);
    expect(direct.json()).toMatchObject({ code: "no-access" });
    const reply = await login(pending);
    const refused =
      reply.status === 403
        ? reply
        : await call("/api/auth/jwt", {
            headers: sessionHeaders((reply.json() as { user: { sessionId: string } }).user.sessionId),
          });
    expect(refused.status).toBe(403);
    expect(refused.json()).toMatchObject({ code: "no-access" });
  });

  describe.each(readers)("a %s", (role) => {
    const { hiddenUpdateFields, hiddenHijackFields, limit, aggregates } = granted[role];

    test.each([
      ["view_bgpupdates", updateFields, hiddenUpdateFields],
      ["view_hijacks", hijackFields, hiddenHijackFields],
    ] as const)(
      "has exactly its columns of %s, in the schema and in answers",
      async (view, fields, hidden: readonly string[]) => {
        const caller = await members[role].caller();
        const schema = await data<{ __type: { fields: { name: string }[] } }>(
          `{ __type(name: "${view}") { fields { name } } }`,
          caller,
        );
        const names = schema.__type.fields.map(({ name }) => name);
        for (const field of fields) {
          const query = `{ ${view}(limit: 1) { ${field} } }`;
          if (hidden.includes(field)) {
            expect(names).not.toContain(field);
            const { extensions } = await refusal(query, caller);
            expect(extensions.code).toBe("validation-failed");
          } else {
            expect(names).toContain(field);
            await data(query, caller);
          }
        }
      },
    );

    test(`gets at most ${limit} rows, with and without a limit`, async () => {
      const caller = await members[role].caller();
      const where = role === "tenant" ? `where: {prefix: {_eq: "${northPrefix}"}}` : "where: {}";
      const unasked = await data<{ view_bgpupdates: unknown[] }>(`{ view_bgpupdates(${where}) { type } }`, caller);
      const asked = await data<{ view_bgpupdates: unknown[] }>(
        `{ view_bgpupdates(${where}, limit: 20000) { type } }`,
        caller,
      );
      const most = Math.min(limit, await visibleUpdates(role));
      expect(unasked.view_bgpupdates).toHaveLength(most);
      expect(asked.view_bgpupdates).toHaveLength(most);
      const fewer = await data<{ view_bgpupdates: unknown[] }>("{ view_bgpupdates(limit: 7) { type } }", caller);
      expect(fewer.view_bgpupdates).toHaveLength(7);
    });

    test(`${aggregates ? "has" : "has no"} aggregates`, async () => {
      const caller = await members[role].caller();
      const query =
        "{ view_hijacks_aggregate { aggregate { count } } view_bgpupdates_aggregate { aggregate { count } } }";
      if (aggregates) {
        const answer = await data<{ view_hijacks_aggregate: { aggregate: { count: number } } }>(query, caller);
        expect(answer.view_hijacks_aggregate.aggregate.count).toBe(await visibleHijacks(role));
      } else {
        const { extensions } = await refusal(query, caller);
        expect(extensions.code).toBe("validation-failed");
      }
    });

    test("sees exactly the hijacks that SQL returns for its permissions", async () => {
      const answer = await data<{ view_hijacks: { key: string }[] }>(
        "{ view_hijacks(order_by: {key: asc}) { key } }",
        await members[role].caller(),
      );
      const expected = await hijackKeys(role);
      expect(expected.length).toBeGreaterThan(0);
      expect(answer.view_hijacks.map(({ key }) => key)).toEqual(expected.slice(0, limit));
    });

    const writes = role === "operator" || role === "tenant";
    test(writes ? "has the mutations of hijacks alone" : "has no mutations", async () => {
      const answer = await data<{ __schema: Row }>(
        "{ __schema { mutationType { fields { name } } } }",
        await members[role].caller(),
      );
      const fields = ["update_view_hijacks", "update_view_hijacks_by_pk", "update_view_hijacks_many"];
      expect(answer.__schema).toEqual({ mutationType: writes ? { fields: fields.map((name) => ({ name })) } : null });
    });
  });

  test("tenants of two organisations see disjoint rows, and together less than an analyst", async () => {
    const south = await Member.join("tenant", { organisation: organisations.south });
    const query =
      "{ view_hijacks(order_by: {key: asc}) { key configured_prefix } view_bgpupdates(limit: 1000) { prefix matched_prefix } }";
    const north = await data<{ view_hijacks: Row[]; view_bgpupdates: Row[] }>(query, await members.tenant.caller());
    const other = await data<{ view_hijacks: Row[]; view_bgpupdates: Row[] }>(query, await south.caller());
    expect(north.view_hijacks.length).toBeGreaterThan(0);
    expect(other.view_hijacks.length).toBeGreaterThan(0);
    const keys = new Set(north.view_hijacks.map(({ key }) => key));
    expect(other.view_hijacks.filter(({ key }) => keys.has(key))).toEqual([]);
    const matched = new Set(north.view_bgpupdates.map(({ matched_prefix: prefix }) => prefix));
    expect(matched.size).toBeGreaterThan(0);
    expect(other.view_bgpupdates.filter(({ matched_prefix: prefix }) => matched.has(prefix))).toEqual([]);
  });

  test("a tenant without an organisation sees nothing", async () => {
    const homeless = await Member.join("tenant");
    const query = "{ view_hijacks { key } view_bgpupdates { type } }";
    const caller = await homeless.caller();
    const error = await refusal(query, caller);
    expect(error.message).toContain("x-hasura-org-id");
  });

  async function hijackKeys(role: (typeof readers)[number]): Promise<string[]> {
    const owner = await database("owner");
    const filter = {
      viewer: "ignored is not true",
      analyst: "true",
      operator: "true",
      tenant: `configured_prefix in (select prefix from public.view_configured_prefixes where organisation = '${organisations.north}')`,
    }[role];
    const { rows } = await owner.query<{ key: string }>(
      `select key from public.view_hijacks where ${filter} order by key collate "C"`,
    );
    return rows.map(({ key }) => key);
  }

  async function visibleHijacks(role: (typeof readers)[number]): Promise<number> {
    return (await hijackKeys(role)).length;
  }

  async function visibleUpdates(role: (typeof readers)[number]): Promise<number> {
    const owner = await database("owner");
    const filter = role === "tenant" ? `prefix = '${northPrefix}'` : "true";
    const { rows } = await owner.query<{ count: string }>(
      `select count(*) from public.view_bgpupdates where ${filter}`,
    );
    return Number(rows[0]?.count);
  }
});
