import { createRemoteJWKSet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RunningSidecar, Stack } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const accessToken = (body: unknown) => (body as { access_token: string }).access_token;

describe("session flow", () => {
  test("ASVS 9.2.1, 9.2.2, 9.2.3, 9.2.4: GET and POST /api/auth/jwt return a verifiable token", async () => {
    const user = await stack.addUser("tenant", { organisation: "org-1" });
    const sessionId = await running.client.session(user.email, user.password);
    const keys = createRemoteJWKSet(new URL(`${running.client.url}/jwks`));
    for (const method of ["GET", "POST"]) {
      const { status, body } = await running.client.call(method, "/api/auth/jwt", { sessionId });
      expect(status).toBe(200);
      const { payload, protectedHeader } = await jwtVerify(accessToken(body), keys, {
        issuer: "routeql",
        audience: "routeql",
        algorithms: ["ES256"],
      });
      expect(protectedHeader).toEqual({
        alg: "ES256",
        typ: "JWT",
        kid: expect.stringMatching(/^[\w-]{43}$/) as string,
      });
      expect(payload).toEqual({
        iss: "routeql",
        aud: "routeql",
        sub: user.id,
        iat: expect.any(Number) as number,
        nbf: payload.iat,
        exp: payload.iat! + 900,
        jti: expect.any(String) as string,
        "https://hasura.io/jwt/claims": {
          "x-hasura-allowed-roles": ["tenant"],
          "x-hasura-default-role": "tenant",
          "x-hasura-user-id": user.id,
          "x-hasura-org-id": "org-1",
        },
      });
    }
  });

  test.each([
    ["POST", "/api/auth/login/credentials"],
    ["POST", "/api/auth/login/ldap"],
    ["GET", "/api/auth/jwt"],
    ["POST", "/api/auth/jwt"],
    ["DELETE", "/api/auth/logout"],
  ])("%s %s without the right service key gets 401", async (method, path) => {
    const user = await stack.addUser();
    const body = method === "POST" ? { email: user.email, password: user.password } : undefined;
    const sessionId = await running.client.session(user.email, user.password);
    const right = stack.environment["SERVICE_API_KEY"]!;
    const wrong = [null, "", "wrong", `${right}x`, right.slice(0, -1), right.toUpperCase(), `${right}, ${right}`];
    for (const serviceKey of wrong) {
      const { status, body: answer } = await running.client.call(method, path, { serviceKey, body, sessionId });
      expect({ status, answer }).toMatchObject({ status: 401, answer: { code: "wrong-service-key" } });
    }
  });

  test("a login ignores the case of the e-mail address", async () => {
    const user = await stack.addUser();
    expect((await running.client.login(user.email.toUpperCase(), user.password)).status).toBe(200);
  });
});

describe("single-step flow", () => {
  test("wrong credentials get 401 with exactly the specified body", async () => {
    const user = await stack.addUser();
    for (const [name, password] of [
      [user.email, "wrong"],
      ["nobody@example.net", "wrong"],
      [user.email, ""],
      ["", ""],
      ["\0", "\0"],
      ["\ud800", "\udfff"],
    ] as const) {
      const { status, body } = await running.client.singleStep(name, password);
      expect({ status, body }).toEqual({ status: 401, body: { error: "wrong credentials" } });
    }
  });
});

describe("ASVS 6.3.8: an unknown user and a wrong password", () => {
  test("get the same status, headers and body", async () => {
    const user = await stack.addUser();
    const headersOf = (headers: Headers) => [...headers].filter(([name]) => !["date", "x-request-id"].includes(name));
    const unknown = await running.client.login("nobody@example.net", "wrong");
    const wrong = await running.client.login(user.email, "wrong");
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({ error: "wrong credentials", code: "wrong-credentials" });
    expect(unknown).toMatchObject({ status: wrong.status, body: wrong.body });
    expect(headersOf(unknown.headers)).toEqual(headersOf(wrong.headers));
  });

  test("an account without a password, or of another provider, behaves like an unknown one", async () => {
    const user = await stack.addUser();
    await stack.sql.query("update auth.users set password_hash = null where id = $1", [user.id]);
    expect((await running.client.login(user.email, user.password)).status).toBe(401);
    const other = await stack.addUser();
    await stack.sql.query("update auth.users set provider = 'ldap' where id = $1", [other.id]);
    expect((await running.client.login(other.email, other.password)).status).toBe(401);
  });
});

/** Events and outcomes of a user in the audit trail, the oldest first. */
async function recorded(userId: string): Promise<string[]> {
  return (await stack.audit(userId)).map(({ event, outcome }) => `${String(event)} ${String(outcome)}`);
}

describe("accounts without access", () => {
  test("a pending user has a session but no token, by either flow", async () => {
    const user = await stack.addUser("pending");
    const sessionId = await running.client.session(user.email, user.password);
    expect(await running.client.token(sessionId)).toMatchObject({ status: 403, body: { code: "no-access" } });
    expect(await running.client.singleStep(user.email, user.password)).toMatchObject({
      status: 403,
      body: { code: "no-access" },
    });
    await stack.sql.query("update auth.users set role = 'viewer' where id = $1", [user.id]);
    expect((await running.client.token(sessionId)).status).toBe(200);
    expect(await recorded(user.id)).toEqual([
      "login success",
      "token refused",
      "login success",
      "token refused",
      "token success",
    ]);
  });

  test("ASVS 7.4.2: the session of a disabled user is rejected and stays invalid", async () => {
    const user = await stack.addUser();
    const sessionId = await running.client.session(user.email, user.password);
    await stack.sql.query("update auth.users set disabled = true where id = $1", [user.id]);
    expect(await running.client.token(sessionId)).toMatchObject({ status: 403, body: { code: "no-access" } });
    expect(await running.client.login(user.email, user.password)).toMatchObject({
      status: 403,
      body: { code: "no-access" },
    });
    expect((await running.client.login(user.email, "wrong")).status).toBe(401);
    expect((await running.client.singleStep(user.email, user.password)).status).toBe(403);
    await stack.sql.query("update auth.users set disabled = false where id = $1", [user.id]);
    expect((await running.client.token(sessionId)).status).toBe(401);
    expect(await recorded(user.id)).toEqual([
      "login success",
      "token refused",
      "login refused",
      "login failure",
      "login refused",
    ]);
  });

  test("the session of a deleted user is invalid", async () => {
    const user = await stack.addUser();
    const sessionId = await running.client.session(user.email, user.password);
    await stack.sql.query("delete from auth.users where id = $1", [user.id]);
    expect(await running.client.token(sessionId)).toMatchObject({ status: 401, body: { code: "no-session" } });
    expect(await recorded(user.id)).toEqual(["login success", "token refused"]);
  });
});

describe("passwords", () => {
  test("ASVS 6.2.8: are used exactly as sent", async () => {
    const user = await stack.addUser();
    for (const variant of [
      ` ${user.password}`,
      `${user.password} `,
      user.password.toUpperCase(),
      `${user.password}\0`,
      user.password.slice(0, -1),
    ]) {
      expect((await running.client.login(user.email, variant)).status).toBe(401);
    }
    expect((await running.client.login(user.email, user.password)).status).toBe(200);
  });

  test("ASVS 6.2.9: may be as long as 1 KiB and no longer", async () => {
    const { hashPassword } = await import("@routeql/auth-sidecar/passwords/password-hash");
    const longest = "é".repeat(512);
    const user = await stack.addUser("viewer", { passwordHash: await hashPassword(longest) });
    expect((await running.client.login(user.email, longest)).status).toBe(200);
    expect(await running.client.login(user.email, `${longest}e`)).toMatchObject({
      status: 400,
      body: { code: "invalid-field" },
    });
  });

  test("a hash with outdated parameters is renewed at login", async () => {
    const { hash } = await import("@node-rs/argon2");
    const weak = await hash("a plain old password", { memoryCost: 8192, timeCost: 1 });
    const user = await stack.addUser("viewer", { passwordHash: weak });
    expect((await running.client.login(user.email, "a plain old password")).status).toBe(200);
    const { rows } = await stack.sql.query<{ password_hash: string }>(
      "select password_hash from auth.users where id = $1",
      [user.id],
    );
    expect(rows[0]?.password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect((await running.client.login(user.email, "a plain old password")).status).toBe(200);
  });

  test("concurrent logins renew an outdated hash once, and all of them succeed", async () => {
    const { hash } = await import("@node-rs/argon2");
    const user = await stack.addUser("viewer", {
      passwordHash: await hash("a plain old password", { memoryCost: 8192, timeCost: 1 }),
    });
    const logins = await Promise.all(
      Array.from({ length: 6 }, () => running.client.login(user.email, "a plain old password")),
    );
    expect(logins.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  });
});

test("ASVS 16.3.1: account events are recorded with request id and address", async () => {
  const user = await stack.addUser();
  const address = "192.0.2.77";
  const headers = { "x-request-id": "0123456789abcdef0123456789abcdef" };
  await running.client.login(user.email, "wrong", { address, headers });
  const sessionId = await running.client.session(user.email, user.password, { address, headers });
  await running.client.token(sessionId, { address, headers });
  await running.client.logout(sessionId, { address, headers });
  expect(await recorded(user.id)).toEqual(["login failure", "login success", "token success", "logout success"]);
  const events = await stack.audit(user.id);
  for (const event of events) expect(event).toMatchObject({ address, request_id: headers["x-request-id"] });
  expect(events[2]).toMatchObject({
    detail: { flow: "session", kid: expect.any(String) as string, jti: expect.any(String) as string },
  });
});

test("ASVS 16.2.5: log and audit trail contain no secret and no e-mail address", async () => {
  const user = await stack.addUser();
  const secrets = [...stack.secrets, user.password, user.email, "mistyped-password"];
  const sessionId = await running.client.session(user.email, user.password);
  secrets.push(
    sessionId,
    accessToken((await running.client.token(sessionId)).body),
    accessToken((await running.client.singleStep(user.email, user.password)).body),
  );
  await running.client.login("mistyped-password", "mistyped-password");
  await running.client.call("POST", "/jwt/auth", { raw: `{"username": "mistyped-password` });
  const { rows } = await stack.sql.query("select * from auth.audit_events");
  const kept = running.log() + JSON.stringify(rows);
  expect(kept).toContain(user.id);
  for (const secret of secrets) expect(kept).not.toContain(secret);
});
