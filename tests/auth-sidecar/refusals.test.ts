import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect } from "node:net";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedOperations } from "./interface-description.ts";
import { type RunningSidecar, Stack, type TestUser } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;
let user: TestUser;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1000" });
  user = await stack.addUser();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

const logins = ["/api/auth/login/credentials", "/jwt/auth"];
const goodBody = () => ({ email: user.email, username: user.email, password: user.password });

test("every described operation is served, and every served method is described", async () => {
  const served: string[] = [];
  for (const path of new Set(describedOperations.map((operation) => operation.split(" ")[1]!))) {
    const { status, headers } = await running.client.call("PATCH", path);
    expect(status).toBe(405);
    for (const method of headers.get("allow")!.split(", ")) served.push(`${method} ${path}`);
  }
  expect(served.sort()).toEqual([...describedOperations].sort());
});

test.each([
  "/",
  "/api",
  "/api/auth",
  "/api/auth/jwt/",
  "/API/auth/jwt",
  "/api/auth/login",
  "/jwt/auth/",
  "//jwt/auth",
  "/api/auth/..%2fjwt",
  "/metrics",
  "/jwks.json",
  "/%zz",
])("%s is answered 404", async (path) => {
  expect(await running.client.call("GET", path)).toMatchObject({ status: 404, body: { code: "not-found" } });
});

describe.each(logins)("POST %s", (path) => {
  test.each([
    ["", "malformed-json"],
    ["{", "malformed-json"],
    ["null", "malformed-json"],
    ['"text"', "malformed-json"],
    ["1", "malformed-json"],
    ['{"email": "a", "username": "a", "password": "b",}', "malformed-json"],
    ["email=a&password=b", "malformed-json"],
    ["[".repeat(100_000), "malformed-json"],
    ["[]", "invalid-field"],
    ["{}", "invalid-field"],
    ['{"email": "a", "username": "a"}', "invalid-field"],
    ['{"password": "a"}', "invalid-field"],
    ['{"email": 1, "username": 1, "password": "b"}', "invalid-field"],
    ['{"email": ["a"], "username": ["a"], "password": "b"}', "invalid-field"],
    ['{"email": {"$ne": ""}, "username": {"$ne": ""}, "password": {"$ne": ""}}', "invalid-field"],
    ['{"email": "a", "username": "a", "password": null}', "invalid-field"],
    ['{"__proto__": {"email": "a", "username": "a", "password": "b"}}', "invalid-field"],
    [JSON.stringify({ email: "a".repeat(321), username: "a".repeat(321), password: "b" }), "invalid-field"],
  ])("the body %j is answered 400", async (raw, code) => {
    expect(await running.client.call("POST", path, { raw })).toMatchObject({ status: 400, body: { code } });
  });

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/jsonp",
    "multipart/form-data; boundary=x",
    "application/json; charset=latin1",
    "*/*",
    "",
  ])("the content type %j is answered 415", async (type) => {
    const answer = await running.client.call("POST", path, { body: goodBody(), headers: { "content-type": type } });
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported-media-type" } });
  });

  test("accepts content types with other case and parameters", async () => {
    for (const type of ["application/json; charset=utf-8", "Application/JSON", 'application/json;charset="UTF-8"']) {
      expect(
        (await running.client.call("POST", path, { body: goodBody(), headers: { "content-type": type } })).status,
      ).toBe(200);
    }
  });

  test("a compressed body is answered 415", async () => {
    const answer = await running.client.call("POST", path, { raw: "x", headers: { "content-encoding": "gzip" } });
    expect(answer).toMatchObject({ status: 415, body: { code: "unsupported-media-type" } });
  });

  test("a body over the limit is answered 413, one below is read", async () => {
    const filled = (size: number) => JSON.stringify({ ...goodBody(), filler: "x".repeat(size) });
    expect(await running.client.call("POST", path, { raw: filled(256 * 1024) })).toMatchObject({
      status: 413,
      body: { code: "payload-too-large" },
    });
    expect((await running.client.call("POST", path, { raw: filled(255 * 1024) })).status).toBe(200);
  });
});

test("accepts only issued session ids, and only in the cookie sid", async () => {
  const id = await running.client.session(user.email, user.password);
  const guesses = Array.from({ length: 50 }, () => randomBytes(32).toString("base64url"));
  const texts = '"",null,undefined,0,true,[object Object],*,%,_,session:*,../,\',",\\,%00,{},[],sid'.split(",");
  const changed = [id.slice(0, -1), `${id}A`, id.toLowerCase(), id.toUpperCase(), `${id}=`, `${id} x`, `${id}%00`];
  const values = [...guesses, ...texts, ...changed, "", "a".repeat(43), "-".repeat(43), "A".repeat(4000)];
  const names = ["SID", "Sid", "sid2", "xsid", "__Host-sid", "__Secure-sid", "session", "sessionId", "s id"];
  const elsewhere: Record<string, string>[] = [
    { authorization: `Bearer ${id}` },
    { "x-session-id": id, sid: id },
    ...values.map((value) => ({ cookie: `sid=${value}` })),
    ...names.map((name) => ({ cookie: `${name}=${id}` })),
  ];
  for (const headers of elsewhere)
    expect((await running.client.call("GET", "/api/auth/jwt", { headers })).status, JSON.stringify(headers)).toBe(401);
  expect((await running.client.call("GET", `/api/auth/jwt?sid=${id}`)).status).toBe(401);
  const body = { sid: id, sessionId: id };
  expect((await running.client.call("POST", "/api/auth/jwt", { body })).status).toBe(401);
  const headers = { cookie: `a=b; sid=${id}; c=d` };
  expect((await running.client.call("GET", "/api/auth/jwt", { headers })).status).toBe(200);
});

describe("invalid HTTP", () => {
  async function raw(text: string): Promise<string> {
    const socket = connect(running.sidecar.port, "127.0.0.1");
    let answer = "";
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.end(text);
    await once(socket, "close");
    return answer;
  }

  test.each([
    ["GET\r\n\r\n", 400, "malformed-request"],
    ["\0\0\0\0\r\n\r\n", 400, "malformed-request"],
    [
      "POST /jwt/auth HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
      400,
      "malformed-request",
    ],
    ["POST /jwt/auth HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400, "malformed-request"],
    [`GET / HTTP/1.1\r\nHost: a\r\nX: ${"x".repeat(20_000)}\r\n\r\n`, 431, "headers-too-large"],
  ])("%j gets an error in the common form", async (text, status, code) => {
    const answer = await raw(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(answer).toContain(`"code":"${code}"`);
  });
});

describe("fuzz", () => {
  const anyBody = fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.string({ unit: "binary", maxLength: 300 }),
    fc
      .record({ email: fc.anything(), username: fc.anything(), password: fc.anything() }, { requiredKeys: [] })
      .map((value) => serialised(value)),
    fc
      .record({
        name: fc.oneof(
          fc.constant(""),
          fc.string({ unit: "binary", maxLength: 400 }),
          fc.constantFrom("*)(uid=*", "\0", "' or 1=1 --", "\ud800", "‮", "％"),
        ),
        password: fc.string({ unit: "binary", maxLength: 40 }),
      })
      .map(({ name, password }) => JSON.stringify({ email: name, username: name, password })),
  );
  const headerValue = fc.stringMatching(/^[\x21-\x7e\x80-\xff]([\x20-\x7e\x80-\xff]{0,60}[\x21-\x7e\x80-\xff])?$/);
  const anyHeaders = fc.dictionary(
    fc.constantFrom(
      "x-forwarded-for",
      "x-request-id",
      "cookie",
      "accept",
      "x-service-api-key",
      "authorization",
      "origin",
      "x-hasura-role",
      "range",
      "if-none-match",
      "x-http-method-override",
    ),
    headerValue,
    { maxKeys: 6 },
  );

  test(
    "no body, header or cookie causes a 5xx or an undescribed reply at any endpoint",
    { timeout: 120_000 },
    async () => {
      const operations = describedOperations.map((operation) => operation.split(" ") as [string, string]);
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...operations),
          anyBody,
          anyHeaders,
          fc.constantFrom("application/json", "text/plain", ""),
          async ([method, path], raw, headers, type) => {
            const body = method === "GET" ? {} : { raw };
            const { status } = await running.client.call(method, path, {
              ...body,
              headers: { "content-type": type, ...headers },
            });
            if (path !== "/api/auth/login/ldap") expect(status).toBeLessThan(500);
          },
        ),
        { numRuns: 400 },
      );
    },
  );

  test("no method or path causes one either", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"),
        fc.webPath(),
        async (method, path) => {
          const response = await fetch(running.client.url + path, { method });
          expect(response.status).toBeLessThan(500);
          await response.arrayBuffer();
        },
      ),
      { numRuns: 150 },
    );
  });

  test("ASVS 16.5.1: the service logged no error and works as before", async () => {
    const levels = running
      .log()
      .trim()
      .split("\n")
      .map((line) => (JSON.parse(line) as { level: string }).level);
    expect(levels).not.toContain("error");
    expect((await running.client.login(user.email, user.password)).status).toBe(200);
  });
});

function serialised(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => (typeof member === "bigint" ? String(member) : member)) ?? "";
}
