import { beforeAll, describe, expect, test } from "vitest";
import { type Account, makeAccount } from "./support/clients/accounts.ts";
import { call } from "./support/clients/http.ts";
import {
  accessToken,
  login,
  logout,
  serviceKey,
  session,
  sessionHeaders,
  singleStep,
} from "./support/clients/sessions.ts";
import { stack } from "./support/stack/stack.ts";
import { tokenLives, tokensEndSoon } from "./support/clients/token-lives.ts";

const loginPath = "/api/auth/login/credentials";

// Starts the tokens and sockets that 13-token-lives.test.ts checks later; that file also reports failures.
beforeAll(async () => {
  if (tokensEndSoon) await tokenLives().catch(() => undefined);
});

describe("Endpoints, variant B: session flow", () => {
  let account: Account;

  beforeAll(async () => {
    account = await makeAccount("analyst");
  });

  test("POST /api/auth/login/credentials with x-service-api-key gives 200 and the user", async () => {
    const reply = await login(account);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toMatch(/^application\/json/);
    expect(Object.keys(reply.json() as object)).toEqual(["user"]);
  });

  test("POST /api/auth/login/ldap exists and reports that no directory is configured", async () => {
    const reply = await call("/api/auth/login/ldap", {
      method: "POST",
      headers: serviceKey,
      body: { email: account.email, password: account.password },
    });
    expect(reply.status).toBe(503);
    expect(reply.json()).toEqual({
      error: "No directory is configured for the LDAP login.",
      code: "ldap-not-configured",
    });
    expect(reply.headers.get("retry-after")).toMatch(/^\d+$/);
  });

  test.each(["GET", "POST"])(
    "%s /api/auth/jwt with the cookie gives 200 and exactly one field, access_token",
    async (method) => {
      const { sessionId } = await session(account);
      const reply = await call("/api/auth/jwt", {
        method,
        headers: sessionHeaders(sessionId),
        ...(method === "POST" ? { body: {} } : {}),
      });
      expect(reply.status, reply.text).toBe(200);
      expect(reply.json()).toEqual({ access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) as string });
      expect(reply.headers.get("cache-control")).toContain("no-store");
    },
  );

  test("DELETE /api/auth/logout invalidates the session, answers 200 and takes the cookie back", async () => {
    const { sessionId } = await session(account);
    const reply = await logout(sessionId);
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie().join()).toMatch(/^sid=;.*(Max-Age=0|Expires=Thu, 01 Jan 1970)/i);
  });

  test.each([
    ["POST", loginPath],
    ["POST", "/api/auth/login/ldap"],
    ["GET", "/api/auth/jwt"],
    ["POST", "/api/auth/jwt"],
    ["DELETE", "/api/auth/logout"],
  ])("%s %s without or with a wrong x-service-api-key is 401 wrong-service-key", async (method, path) => {
    const { sessionId } = await session(account);
    const body = method === "POST" ? { body: { email: account.email, password: account.password } } : {};
    for (const key of [undefined, "", "wrong", `${stack.serviceApiKey}x`]) {
      const headers: Record<string, string> = {
        cookie: `sid=${sessionId}`,
        ...(key === undefined ? {} : { "x-service-api-key": key }),
      };
      const reply = await call(path, { method, headers, ...body });
      expect(reply.status, `${key}`).toBe(401);
      expect(reply.json()).toMatchObject({ code: "wrong-service-key" });
    }
    const still = await call("/api/auth/jwt", { headers: sessionHeaders(sessionId) });
    expect(still.status).toBe(200);
  });

  test.each([
    ["no cookie", {}],
    ["an empty sid", { cookie: "sid=" }],
    ["a made-up sid", { cookie: `sid=${"A".repeat(43)}` }],
    ["the sid in another cookie", { cookie: `session=${"A".repeat(43)}` }],
  ])("GET /api/auth/jwt with %s is 401 no-session", async (_, cookie) => {
    const reply = await call("/api/auth/jwt", { headers: { ...serviceKey, ...cookie } });
    expect(reply.status).toBe(401);
    expect(reply.json()).toMatchObject({ code: "no-session" });
  });
});

describe("Endpoints, variant A: single-step flow", () => {
  let account: Account;

  beforeAll(async () => {
    account = await makeAccount("analyst");
  });

  test("POST /jwt/auth with username and password gives 200 and access_token", async () => {
    const reply = await singleStep(account);
    expect(reply.status).toBe(200);
    expect(reply.json()).toEqual({ access_token: expect.any(String) as string });
    expect(reply.headers.getSetCookie()).toEqual([]);
    expect(accessToken(reply).split(".")).toHaveLength(3);
  });

  test("POST /jwt/auth with wrong credentials gives 401 and exactly the specified body", async () => {
    const wrong = await singleStep({ ...account, password: "not the password" });
    expect(wrong.status).toBe(401);
    expect(wrong.text).toBe('{"error":"wrong credentials"}');
    expect(wrong.headers.get("www-authenticate")).toBe("RouteQL");
    const unknown = await singleStep({ email: "nobody@example.net", password: "not the password" });
    expect(unknown.status).toBe(401);
    expect(unknown.text).toBe('{"error":"wrong credentials"}');
  });
});

describe("Errors", () => {
  test("variant B's wrong credentials are 401 with the same code for an unknown user", async () => {
    const account = await makeAccount("viewer");
    const wrong = await login({ email: account.email, password: "not the password" });
    const unknown = await login({ email: "nobody@example.net", password: "not the password" });
    expect(wrong.status).toBe(401);
    expect(unknown.status).toBe(401);
    expect(wrong.json()).toEqual({ error: "wrong credentials", code: "wrong-credentials" });
    expect(unknown.text).toBe(wrong.text);
    expect(wrong.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["not JSON", "{", "application/json", 400, "malformed-json"],
    ["a field is missing", '{"email":"a@example.net"}', "application/json", 400, "invalid-field"],
    ["a field has the wrong type", '{"email":"a@example.net","password":1}', "application/json", 400, "invalid-field"],
    ["not declared as JSON", "email=a&password=b", "application/x-www-form-urlencoded", 415, "unsupported-media-type"],
  ])("a login body that is %s", async (_, body, type, status, code) => {
    const reply = await call(loginPath, { method: "POST", headers: { ...serviceKey, "content-type": type }, body });
    expect(reply.status).toBe(status);
    expect(reply.json()).toMatchObject({ code });
  });

  test.each([
    ["GET", loginPath, "POST"],
    ["DELETE", "/api/auth/jwt", "GET"],
    ["GET", "/api/auth/logout", "DELETE"],
    ["GET", "/jwt/auth", "POST"],
    ["PUT", "/api/graphql", "POST"],
  ])("%s %s is 405 and Allow lists the valid methods", async (method, path, allowed) => {
    const reply = await call(path, { method, headers: serviceKey });
    expect(reply.status).toBe(405);
    expect(reply.json()).toMatchObject({ code: "method-not-allowed" });
    expect(reply.headers.get("allow")?.split(/, */)).toContain(allowed);
  });

  test("an account without access gets 403 no-access in every variant", async () => {
    for (const account of [await makeAccount("pending"), await makeAccount("analyst", { disabled: true })]) {
      const direct = await singleStep(account);
      expect(direct.status).toBe(403);
      expect(direct.json()).toEqual({ error: "This account has no access.", code: "no-access" });
    }
  });

  test("a disabled account's wrong password is indistinguishable from another's", async () => {
    const account = await makeAccount("analyst", { disabled: true });
    const reply = await singleStep({ ...account, password: "not the password" });
    expect(reply.status).toBe(401);
    expect(reply.text).toBe('{"error":"wrong credentials"}');
  });
});
