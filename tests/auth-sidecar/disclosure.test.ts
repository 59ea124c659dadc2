import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { gatewayKey } from "./client.ts";
import { type RunningSidecar, Stack, type TestUser } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;
let user: TestUser;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar();
  user = await stack.addUser();
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

test("ASVS 13.4.4: TRACE is answered 405 and echoes nothing", async () => {
  // fetch cannot send TRACE.
  const socket = connect(running.sidecar.port, "127.0.0.1");
  const headers = `Host: a\r\nX-Gateway-Key: ${gatewayKey}\r\nX-Echo: echoed-or-not\r\nConnection: close`;
  socket.write(`TRACE /jwt/auth HTTP/1.1\r\n${headers}\r\n\r\n`);
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(answer).not.toContain("echoed-or-not");
});

test("ASVS 13.4.6: no reply reveals the name or version of a server", async () => {
  for (const [method, path] of [
    ["GET", "/jwks"],
    ["GET", "/nowhere"],
    ["POST", "/jwt/auth"],
    ["GET", "/readyz"],
  ] as const) {
    const { headers, body } = await running.client.call(method, path, method === "POST" ? { raw: "{" } : {});
    for (const name of ["server", "x-powered-by", "via"]) expect(headers.get(name), `${method} ${path}`).toBeNull();
    expect(JSON.stringify([...headers.entries(), body])).not.toMatch(/express|node\.?js|node\/|\bv?\d+\.\d+\.\d+\b/i);
  }
});

test("every answer has the request id, cache control and a fixed content type", async () => {
  const id = "0123456789abcdef0123456789abcdef";
  for (const [method, path, kept] of [
    ["GET", "/livez", "no-store"],
    ["GET", "/jwks", "max-age=60"],
    ["GET", "/nowhere", "no-store"],
    ["GET", "/api/auth/jwt", "no-store"],
    ["PUT", "/jwt/auth", "no-store"],
  ] as const) {
    const { headers } = await running.client.call(method, path, { headers: { "x-request-id": id } });
    const found = ["x-request-id", "cache-control", "x-content-type-options"].map((name) => headers.get(name));
    expect(found, `${method} ${path}`).toEqual([id, kept, "nosniff"]);
  }
});

describe("an unexpected error", () => {
  beforeAll(async () => {
    await stack.sql.query(`
      create function auth.break() returns trigger language plpgsql as $$ begin raise exception 'broken: %', new.email; end $$;
      create trigger break before update on auth.users for each row execute function auth.break()`);
  });

  afterAll(async () => {
    await stack.sql.query("drop trigger break on auth.users; drop function auth.break()");
  });

  test("ASVS 13.4.2, 16.5.4: is answered 500 without details, logged, and the service stays up", async () => {
    for (const answer of [
      await running.client.login(user.email, user.password),
      await running.client.singleStep(user.email, user.password),
    ]) {
      expect(answer).toMatchObject({ status: 500, body: { code: "internal" } });
      expect(JSON.stringify(answer.body)).not.toMatch(/broken|auth\.|trigger|\.ts|at /);
    }
    expect(running.log()).toContain('"level":"error"');
    expect((await running.client.call("GET", "/livez")).status).toBe(200);
    expect((await running.client.login(user.email, "wrong")).status).toBe(401);
  });
});
