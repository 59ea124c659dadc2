import { beforeAll, describe, expect, test } from "vitest";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { call } from "./support/clients/http.ts";
import { data } from "./support/clients/graphql.ts";
import { logout, login, session, sessionHeaders, tokenOfSession } from "./support/clients/sessions.ts";

describe("States and transitions", () => {
  let account: Account;

  beforeAll(async () => {
    account = await makeAccount("analyst");
  });

  test("none to session active: valid credentials, and the reply carries sessionId", async () => {
    const { sessionId } = await session(account);
    expect(sessionId).toMatch(/^[\w-]{43,}$/);
  });

  test("session active stays active: the cookie sid gives an access_token repeatedly", async () => {
    const { sessionId } = await session(account);
    const first = await tokenOfSession(sessionId);
    const second = await tokenOfSession(sessionId);
    expect(second).not.toBe(first);
  });

  test("session active to session invalidated: logout, after which the session gives no token", async () => {
    const { sessionId } = await session(account);
    const reply = await logout(sessionId);
    expect(reply.status).toBe(200);
    expect(reply.json()).toEqual({});
    const after = await call("/api/auth/jwt", { headers: sessionHeaders(sessionId) });
    expect(after.status).toBe(401);
    expect(after.json()).toEqual({ error: "There is no session, or it has ended.", code: "no-session" });
  });

  test("logout leaves access tokens already issued valid until they expire", async () => {
    const { sessionId } = await session(account);
    const token = await tokenOfSession(sessionId);
    await logout(sessionId);
    expect(await data("{ __typename }", { token })).toEqual({ __typename: "query_root" });
  });

  test("a second login returns a new session id and ends the presented session", async () => {
    const first = await session(account);
    const again = await call("/api/auth/login/credentials", {
      method: "POST",
      headers: sessionHeaders(first.sessionId),
      body: { email: account.email, password: account.password },
    });
    expect(again.status).toBe(200);
    const second = (again.json() as { user: { sessionId: string } }).user;
    expect(second.sessionId).not.toBe(first.sessionId);
    const old = await call("/api/auth/jwt", { headers: sessionHeaders(first.sessionId) });
    expect(old.status).toBe(401);
  });

  test("wrong credentials create no session and no cookie", async () => {
    const reply = await login({ email: account.email, password: "not the password" });
    expect(reply.status).toBe(401);
    expect(reply.headers.getSetCookie()).toEqual([]);
  });
});

describe("Session and token records", () => {
  test("the user record has _id, name, email, role, lastLogin and sessionId and nothing else", async () => {
    const account = await makeAccount("viewer");
    const reply = await login(account);
    expect(reply.json()).toEqual({
      user: {
        _id: account.id,
        name: account.name,
        email: account.email,
        role: "viewer",
        lastLogin: null,
        sessionId: expect.any(String) as string,
      },
    });
  });

  test("lastLogin is the time of the login before this one", async () => {
    const account = await makeAccount("viewer");
    const before = Date.now();
    await session(account);
    const after = Date.now();
    const { lastLogin } = await session(account);
    expect(lastLogin).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)$/);
    const at = Date.parse(lastLogin as string);
    expect(at).toBeGreaterThanOrEqual(before - 1000);
    expect(at).toBeLessThanOrEqual(after + 1000);
  });

  test("the cookie sid is the sessionId, HttpOnly, Secure and SameSite=Strict", async () => {
    const account = await makeAccount("viewer");
    const reply = await login(account);
    const { sessionId } = (reply.json() as { user: { sessionId: string } }).user;
    const [cookie, ...others] = reply.headers.getSetCookie();
    expect(others).toEqual([]);
    const parts = (cookie as string).split("; ");
    expect(parts[0]).toBe(`sid=${sessionId}`);
    expect(parts).toEqual(expect.arrayContaining(["HttpOnly", "Secure", "SameSite=Strict", "Path=/api/auth"]));
    expect(parts.some((part) => part.toLowerCase().startsWith("domain="))).toBe(false);
  });
});
