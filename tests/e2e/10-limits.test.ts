import { beforeAll, describe, expect, test } from "vitest";
import { makeAccount, Member } from "./support/accounts.ts";
import { loadDemo } from "./support/data.ts";
import { isBareHasura } from "./support/engine-of-the-run.ts";
import { data, headersOf, master, refusal } from "./support/graphql.ts";
import { call } from "./support/http.ts";
import { login, serviceKey, session } from "./support/sessions.ts";

const noLimits = "Hasura v2 without the front enforces limits of depth and breadth only in its Enterprise edition";

/** Design section 1, limits: each setting has a clear answer. */
describe("Limits", () => {
  let analyst: Member;

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
  });

  test.each([
    ["/api/graphql", { query: `{ __typename } # ${"x".repeat(300 * 1024)}` }],
    ["/api/auth/login/credentials", { email: "a@example.net", password: "x".repeat(300 * 1024) }],
    ["/jwt/auth", { username: "a@example.net", password: "x".repeat(300 * 1024) }],
  ])("a body over 256 KiB at %s is 413 payload-too-large", async (path, body) => {
    const reply = await call(path, { method: "POST", headers: { ...serviceKey, ...headersOf(master) }, body });
    expect(reply.status).toBe(413);
    expect(reply.json()).toMatchObject({ code: "payload-too-large" });
    expect(reply.headers.get("cache-control")).toBe("no-store");
  });

  test("accepts a body of 250 KiB", async () => {
    expect(await data(`{ __typename } # ${"x".repeat(250 * 1024)}`, await analyst.caller())).toEqual({
      __typename: "query_root",
    });
  });

  test("rejects a query that is too deep with the reason", async (context) => {
    context.skip(isBareHasura, noLimits);
    const levels = 30;
    const deep = `{ view_hijacks(limit: 1) ${"{ update_links(limit: 1) { hijack ".repeat(levels)} { key } ${"} }".repeat(levels)} }`;
    const { message } = await refusal(deep, await analyst.caller());
    expect(message).toMatch(/deep|depth/i);
  });

  test("rejects a query with too many fields with the reason", async (context) => {
    context.skip(isBareHasura, noLimits);
    const broad = `{ ${Array.from({ length: 600 }, (_, index) => `a${index}: view_bgpupdates(limit: 1) { type }`).join(" ")} }`;
    const { message } = await refusal(broad, await analyst.caller());
    expect(message).toMatch(/more fields than the limit/);
  });

  test("after too many failed logins even the right password gets 429 with Retry-After", async () => {
    const account = await makeAccount("viewer");
    const wrong = { email: account.email, password: "not the password" };
    let attempts = 0;
    let reply = await login(wrong);
    while (reply.status === 401 && attempts < 30) {
      attempts += 1;
      reply = await login(wrong);
    }
    expect(reply.status, `after ${attempts} failures`).toBe(429);
    expect(reply.json()).toMatchObject({ code: "too-many-requests" });
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    const right = await login(account);
    expect(right.status).toBe(429);
    expect(right.headers.getSetCookie()).toEqual([]);
  });

  test("the failures of one account do not lock out another", async () => {
    const bystander = await makeAccount("viewer");
    expect((await session(bystander)).email).toBe(bystander.email);
  });
});
