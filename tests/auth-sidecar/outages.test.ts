import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "@routeql/auth-sidecar/logging";
import { command, connectRedis } from "@routeql/auth-sidecar/sessions/redis";
import { freshAddress } from "./client.ts";
import { type RunningSidecar, Stack, type TestUser } from "./stack.ts";
import { ToxicProxy } from "../harness/containers/toxic-proxy.ts";

/** Maximum duration of any request in milliseconds: docs/design/faults.md. */
const answerBound = 20_000;

let stack: Stack;
let databaseProxy: ToxicProxy;
let sessionsProxy: ToxicProxy;
let running: RunningSidecar;
let user: TestUser;
let sessionId: string;

const addresses = () => ({
  DATABASE_URL: databaseProxy.through(stack.environment["DATABASE_URL"]!),
  SESSIONS_URL: sessionsProxy.through(stack.environment["SESSIONS_URL"]!),
});

beforeAll(async () => {
  stack = await Stack.start();
  const databaseUrl = new URL(stack.environment["DATABASE_URL"]!);
  const sessionsUrl = new URL(stack.environment["SESSIONS_URL"]!);
  databaseProxy = await ToxicProxy.to(databaseUrl.hostname, Number(databaseUrl.port));
  sessionsProxy = await ToxicProxy.to(sessionsUrl.hostname, Number(sessionsUrl.port));
  user = await stack.addUser();
});

afterAll(async () => {
  await databaseProxy[Symbol.asyncDispose]();
  await sessionsProxy[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

beforeEach(async () => {
  running = await stack.sidecar({ ...addresses(), LOGIN_ATTEMPTS_PER_ACCOUNT: "3" });
  await untilReady();
  sessionId = await running.client.session(user.email, user.password);
});

afterEach(async () => {
  databaseProxy.set("pass");
  sessionsProxy.set("pass");
  await running[Symbol.asyncDispose]();
});

async function untilReady(): Promise<number> {
  const startedAt = performance.now();
  while ((await running.client.call("GET", "/readyz")).status !== 200) {
    if (performance.now() - startedAt > 30_000) throw new Error("not ready after 30 s");
    await sleep(50);
  }
  return performance.now() - startedAt;
}

describe.each(["reset", "hang"] as const)("a session store that answers with %s", (toxic) => {
  test("login, token and logout answer 503 in bounded time, and recover by themselves", async () => {
    sessionsProxy.set(toxic);
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([
        running.client.login(user.email, user.password),
        running.client.token(sessionId),
        running.client.logout(sessionId),
      ]);
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(answer.headers.get("retry-after")).toBe("2");
        expect(answer.milliseconds).toBeLessThan(answerBound);
      }
    }
    const ready = await running.client.call("GET", "/readyz");
    expect(ready).toMatchObject({
      status: 503,
      body: { code: "unavailable", parts: { database: "up", sessions: "down", keys: "up" } },
    });
    expect((await running.client.call("GET", "/livez")).status).toBe(200);
    sessionsProxy.set("pass");
    await untilReady();
    expect((await running.client.token(sessionId)).status, "the session lives on").toBe(200);
  });

  test("leaves the single-step flow working, throttled from memory", async () => {
    sessionsProxy.set(toxic);
    expect((await running.client.singleStep(user.email, user.password)).status).toBe(200);
    const address = freshAddress();
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++)
      statuses.push((await running.client.singleStep(user.email, "wrong", { address })).status);
    expect(statuses).toEqual([401, 401, 401, 429]);
  });
});

describe.each(["reset", "hang"] as const)("a database that answers with %s", (toxic) => {
  test("login and token answer 503 in bounded time, and recover by themselves", async () => {
    databaseProxy.set(toxic);
    for (let round = 0; round < 2; round++) {
      const answers = await Promise.all([
        running.client.login(user.email, user.password),
        running.client.token(sessionId),
        running.client.singleStep(user.email, user.password),
      ]);
      for (const answer of answers) {
        expect(answer).toMatchObject({ status: 503, body: { code: "unavailable" } });
        expect(answer.headers.get("retry-after")).toBe("2");
        expect(answer.headers.get("x-graphql-errors")).toBe("unavailable:database");
        expect(answer.milliseconds).toBeLessThan(answerBound);
      }
    }
    expect((await running.client.call("GET", "/jwks")).status).toBe(200);
    expect(await running.client.call("GET", "/readyz")).toMatchObject({
      status: 503,
      body: { parts: { database: "down", sessions: "up", keys: "up" } },
    });
    expect((await running.client.call("GET", "/livez")).status).toBe(200);
    databaseProxy.set("pass");
    await untilReady();
    expect((await running.client.token(sessionId)).status).toBe(200);
  });
});

test("limits tokens that wait for a hanging database in number and time, and names the database", async () => {
  await using narrow = await stack.sidecar({ ...addresses(), TOKEN_CONCURRENCY: "2", TOKEN_QUEUE: "3" });
  databaseProxy.set("hang");
  const answers = await Promise.all(Array.from({ length: 10 }, () => narrow.client.token(sessionId)));
  const of = (status: number) => answers.filter((answer) => answer.status === status);
  expect(of(503).length, "those at work, and those that waited").toBe(5);
  expect(of(429).length, "those that could not wait").toBe(5);
  for (const { headers } of of(503)) expect(headers.get("x-graphql-errors")).toBe("unavailable:database");
  for (const { body, headers } of of(429)) {
    expect(body).toMatchObject({ code: "too-many-requests" });
    expect(headers.get("retry-after")).toMatch(/^[12]$/);
  }
  databaseProxy.set("pass");
  await untilReady();
  expect((await narrow.client.token(sessionId)).status).toBe(200);
});

test("a paused sidecar does not treat its session store as silent", async () => {
  const redis = connectRedis(stack.environment["SESSIONS_URL"]!, undefined, createLogger("silent"));
  try {
    await once(redis, "ready");
    const answer = command(redis, (client) => client.ping());
    // The command is sent, and its answer arrives while the process is paused.
    await new Promise((resolve) => setImmediate(resolve));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1500);
    expect(await answer).toBe("PONG");
  } finally {
    redis.disconnect();
  }
});

test("a login waits for the one before, whose commit waits for a busy disk", async () => {
  await stack.sql.query("begin");
  await stack.sql.query("select from auth.users where id = $1 for update", [user.id]);
  const waiting = running.client.login(user.email, user.password);
  await sleep(4000);
  await stack.sql.query("commit");
  expect((await waiting).status).toBe(200);
});

test("a wrong password gets no 5xx from slow but working services", async () => {
  databaseProxy.set(150);
  sessionsProxy.set(100);
  expect((await running.client.login(user.email, "wrong")).status).toBe(401);
  expect((await running.client.login(user.email, user.password)).status).toBe(200);
});

test("a sidecar that starts before its services logs that it waits, then becomes ready", async () => {
  databaseProxy.set("reset");
  sessionsProxy.set("reset");
  await using early = await stack.sidecar(addresses(), { waits: false });
  expect((await early.client.call("GET", "/livez")).status).toBe(200);
  expect((await early.client.call("GET", "/readyz")).status).toBe(503);
  await expect
    .poll(async () => (await early.client.call("GET", "/jwks")).headers.get("x-graphql-errors"))
    .toBe("unavailable:database");
  databaseProxy.set("pass");
  sessionsProxy.set("pass");
  await early.sidecar.prepared;
  expect((await early.client.call("GET", "/jwks")).status).toBe(200);
  expect(early.log()).toContain("waiting for the database");
});

test("logs an outage once per service with its reason and without a password", async () => {
  sessionsProxy.set("reset");
  await running.client.token(sessionId);
  databaseProxy.set("reset");
  await running.client.singleStep(user.email, user.password);
  expect(running.log()).toContain('"reason":"sessions"');
  expect(running.log()).toContain('"reason":"database"');
  for (const secret of [...stack.secrets, user.password, sessionId]) expect(running.log()).not.toContain(secret);
});
