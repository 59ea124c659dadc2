import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { database } from "./support/stack/database.ts";
import { northPrefix, southPrefix } from "./support/data/detection.ts";
import { data, headersOf, master, refusal } from "./support/clients/graphql.ts";
import { organisations } from "./support/data/small-world.ts";
import { subscribeModern } from "./support/clients/sockets.ts";

const set = `mutation ($key: String!, $flags: view_hijacks_set_input!) {
  update_view_hijacks_by_pk(pk_columns: {key: $key}, _set: $flags) { key active ignored update_links(limit: 1) { hijack_key } }
}`;

describe("operators set the flags of a hijack", () => {
  let operator: Member;
  let key = "";
  const keyOf = async (prefix: string): Promise<string> =>
    (await (await database("owner")).query("select key from view_hijacks where prefix = $1", [prefix])).rows[0].key;

  beforeAll(async () => {
    await loadDemo();
    operator = await Member.join("operator");
    key = await keyOf(northPrefix);
  });

  afterEach(async () => {
    await (
      await database("owner")
    ).query("update routing.hijacks set ignored = false, seen = false where key = $1", [key]);
  });

  test("the viewer's live query loses a hijack that an operator ignores", async () => {
    const viewer = await Member.join("viewer");
    const query = `subscription { view_hijacks(where: {key: {_eq: "${key}"}}) { key } }`;
    const feed = subscribeModern(query, { headers: headersOf(await viewer.caller()) });
    try {
      await feed.until((value) => JSON.stringify(value) === `{"view_hijacks":[{"key":"${key}"}]}`, 15_000);
      const answer = await data(set, await operator.caller(), { key, flags: { ignored: true } });
      expect(answer).toEqual({
        update_view_hijacks_by_pk: { key, active: false, ignored: true, update_links: [{ hijack_key: key }] },
      });
      await feed.until((value) => JSON.stringify(value) === '{"view_hijacks":[]}', 15_000);
    } finally {
      await feed.dispose();
    }
  });

  test("each change leaves an audit event with the user's id", async () => {
    await data(set, await operator.caller(), { key, flags: { seen: true } });
    const { rows } = await (
      await database("owner")
    ).query(
      `select changed.detail, changed.address = issued.address as "sameAddress", changed.request_id as "requestId"
       from auth.audit_events as changed
       join auth.audit_events as issued on changed.detail ->> 'credential' = 'token ' || (issued.detail ->> 'jti')
       where changed.event = 'hijack-changed' and changed.user_id = $1 order by changed.id desc limit 1`,
      [operator.account.id],
    );
    const credential = expect.stringMatching(/^token \S+$/);
    expect(rows).toEqual([
      {
        detail: { credential, hijack: key, role: "operator", before: { seen: false }, after: { seen: true } },
        sameAddress: true,
        requestId: expect.stringMatching(/^[0-9a-f]{32}$/),
      },
    ]);
  });

  test("a WebSocket with the access key writes no audit event in another's name", async () => {
    const headers = {
      ...headersOf(master),
      "x-hasura-role": "operator",
      "x-hasura-user-id": operator.account.id,
      "x-hasura-audit-credential": "token of-the-operator",
      "x-hasura-audit-address": "192.0.2.66",
    };
    const change = `mutation { update_view_hijacks_by_pk(pk_columns: {key: "${key}"}, _set: {seen: true}) { key } }`;
    const feed = subscribeModern(change, { payload: { headers } });
    try {
      await feed.until((value) => JSON.stringify(value).includes(key), 15_000);
    } finally {
      await feed.dispose();
    }
    const { rows } = await (
      await database("owner")
    ).query(
      `select user_id, detail ->> 'credential' as credential, host(address) = '192.0.2.66' as forged, request_id is null as anonymous
       from auth.audit_events where event = 'hijack-changed' order by id desc limit 1`,
    );
    expect(rows).toEqual([{ user_id: null, credential: "access key", forged: false, anonymous: false }]);
  });

  test("a tenant changes only the hijacks of its organisation", async () => {
    const tenant = await (await Member.join("tenant", { organisation: organisations.north })).caller();
    const foreign = await keyOf(southPrefix);
    expect(await data(set, tenant, { key: foreign, flags: { seen: true } })).toEqual({
      update_view_hijacks_by_pk: null,
    });
    const all = "mutation { update_view_hijacks(where: {}, _set: {seen: true}) { affected_rows returning { key } } }";
    const { update_view_hijacks: answer } = await data<{ update_view_hijacks: { returning: { key: string }[] } }>(
      all,
      tenant,
    );
    expect(answer.returning.map((row) => row.key)).toContain(key);
    expect(answer.returning.map((row) => row.key)).not.toContain(foreign);
  });

  test.each([
    [{ ignored: true, resolved: true }, "permission-error", "cannot be both resolved and ignored"],
    [{ ignored: true, under_mitigation: true }, "permission-error", "cannot be under mitigation"],
    [{ active: false }, "validation-failed", "field 'active' not found in type: 'view_hijacks_set_input'"],
  ])("rejects %j with %s", async (flags, code, message) => {
    const error = await refusal(set, await operator.caller(), { key, flags });
    expect(error.extensions.code).toBe(code);
    expect(error.message).toContain(message);
  });

  test.each(["viewer", "analyst"] as const)("a %s has no mutations", async (role) => {
    const error = await refusal(set, await (await Member.join(role)).caller(), { key, flags: { seen: true } });
    expect(error.message).toContain("no mutations exist");
  });
});
