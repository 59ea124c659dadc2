import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "@routeql/auth-sidecar/passwords/password-hash";
import { SessionStore } from "@routeql/auth-sidecar/sessions/session-store";
import { Stack } from "./stack.ts";

let stack: Stack;
let redis: Redis;

beforeAll(async () => {
  stack = await Stack.start();
  redis = new Redis(stack.sessions.getControlUri());
});

afterAll(async () => {
  redis.disconnect();
  await stack[Symbol.asyncDispose]();
});

const keyOf = (sessionId: string): string => `session:${createHash("sha256").update(sessionId).digest("base64url")}`;

/** Moves all times of a session into the past and its end closer, as if this number of seconds had passed. */
async function elapse(sessionId: string, seconds: number): Promise<void> {
  const key = keyOf(sessionId);
  const left = await redis.pttl(key);
  expect(left, "the store forgets the session by itself").toBeGreaterThan(0);
  for (const field of ["created", "used"]) await redis.hincrby(key, field, -seconds * 1000);
  await redis.pexpire(key, left - seconds * 1000);
}

test("ASVS 7.2.3, 11.5.1: a session id has 256 random bits, and the store has only its digest", async () => {
  await using running = await stack.sidecar();
  const user = await stack.addUser();
  const ids = new Set<string>();
  for (let login = 0; login < 5; login++) ids.add(await running.client.session(user.email, user.password));
  expect(ids.size).toBe(5);
  const keys = await redis.keys("*");
  const contents = JSON.stringify(
    await Promise.all(keys.map(async (key) => [key, (await redis.dumpBuffer(key))?.toString("latin1")])),
  );
  for (const id of ids) {
    expect(Buffer.from(id, "base64url")).toHaveLength(32);
    expect(contents).not.toContain(id);
    expect(keys).toContain(keyOf(id));
  }
});

test("ASVS 7.2.4: a login gets a new id, and the session that was presented ends", async () => {
  await using running = await stack.sidecar();
  const user = await stack.addUser();
  const other = await stack.addUser();
  const old = await running.client.session(other.email, other.password);
  const fresh = await running.client.session(user.email, user.password, { sessionId: old });
  expect(fresh).not.toBe(old);
  expect((await running.client.token(old)).status).toBe(401);
  expect((await running.client.token(fresh)).status).toBe(200);
  const planted = "A".repeat(43);
  expect(await running.client.session(user.email, user.password, { sessionId: planted })).not.toBe(planted);
  expect((await running.client.token(planted)).status).toBe(401);
});

test.each([
  ["ASVS 7.4.3: while its password is changed", "password_hash = $2", await hashPassword("another password")],
  ["ASVS 7.4.2: while its account is disabled", "disabled = $2", true],
])("%s, a login under way gets no session", async (_title, change, value) => {
  await using running = await stack.sidecar();
  const user = await stack.addUser();
  await using watching = await stack.database.connect("owner");
  await stack.sql.query("begin");
  await stack.sql.query(`update auth.users set ${change} where id = $1`, [user.id, value]);
  // The account still authenticates, because the change is not committed; then the login waits for the row.
  const login = running.client.login(user.email, user.password);
  while ((await watching.query("select from pg_locks where not granted")).rows.length === 0) await sleep(5);
  await stack.sql.query("commit");
  expect(await login).toMatchObject({ status: 401, body: { code: "wrong-credentials" } });
  expect(await redis.exists(`user-sessions:${user.id}`)).toBe(0);
  const { rows } = await stack.sql.query(
    "select outcome from auth.audit_events where event = 'login' and user_id = $1",
    [user.id],
  );
  expect(rows).toEqual([{ outcome: "failure" }]);
});

test("a failed login keeps the presented session", async () => {
  await using running = await stack.sidecar();
  const user = await stack.addUser();
  const sessionId = await running.client.session(user.email, user.password);
  await running.client.login(user.email, "wrong", { sessionId });
  expect((await running.client.token(sessionId)).status).toBe(200);
});

test("ASVS 7.3.1: a session ends after its idle time, and each use restarts that", async () => {
  await using running = await stack.sidecar({ SESSION_IDLE_SECONDS: "600", SESSION_ABSOLUTE_SECONDS: "36000" });
  const user = await stack.addUser();
  const sessionId = await running.client.session(user.email, user.password);
  for (let use = 0; use < 3; use++) {
    await elapse(sessionId, 400);
    expect((await running.client.token(sessionId)).status).toBe(200);
  }
  await elapse(sessionId, 600);
  expect((await running.client.token(sessionId)).status).toBe(401);
});

test("ASVS 7.3.2: a session ends at its absolute limit, regardless of use", async () => {
  await using running = await stack.sidecar({ SESSION_IDLE_SECONDS: "600", SESSION_ABSOLUTE_SECONDS: "1200" });
  const user = await stack.addUser();
  const sessionId = await running.client.session(user.email, user.password);
  for (let use = 0; use < 2; use++) {
    await elapse(sessionId, 400);
    expect((await running.client.token(sessionId)).status).toBe(200);
  }
  await elapse(sessionId, 400);
  expect((await running.client.token(sessionId)).status).toBe(401);
});

test("a shortened limit applies to existing sessions", async () => {
  const user = await stack.addUser();
  await using long = await stack.sidecar();
  const sessionId = await long.client.session(user.email, user.password);
  await elapse(sessionId, 700);
  await using short = await stack.sidecar({ SESSION_IDLE_SECONDS: "600", SESSION_ABSOLUTE_SECONDS: "600" });
  expect((await short.client.token(sessionId)).status).toBe(401);
  expect((await long.client.token(sessionId)).status).toBe(401);
});

test("replicas share sessions", async () => {
  await using first = await stack.sidecar();
  await using second = await stack.sidecar();
  const user = await stack.addUser();
  const sessionId = await first.client.session(user.email, user.password);
  expect((await second.client.token(sessionId)).status).toBe(200);
  expect((await second.client.logout(sessionId)).status).toBe(200);
  expect((await first.client.token(sessionId)).status).toBe(401);
});

describe("the index by user", () => {
  test("ASVS 7.4.5: ends all sessions of one user and of no other", async () => {
    const store = new SessionStore(redis, { SESSION_IDLE_SECONDS: 60, SESSION_ABSOLUTE_SECONDS: 60 });
    const mine = [await store.create("user-a", undefined), await store.create("user-a", undefined)];
    const other = await store.create("user-b", undefined);
    expect(await store.list("user-a")).toHaveLength(2);
    expect(await store.endAll("user-a")).toBe(2);
    for (const id of mine) expect(await store.use(id)).toBeUndefined();
    expect(await store.use(other)).toBe("user-b");
    expect(await store.list("user-a")).toEqual([]);
    expect(await store.endAll("user-a")).toBe(0);
  });

  test("removes ended sessions completely", async () => {
    const store = new SessionStore(redis, { SESSION_IDLE_SECONDS: 60, SESSION_ABSOLUTE_SECONDS: 120 });
    const first = await store.create("user-c", undefined);
    const second = await store.create("user-c", first);
    expect(await redis.zcard("user-sessions:user-c")).toBe(1);
    expect(await redis.exists(keyOf(first))).toBe(0);
    for (const [key, seconds] of [
      [keyOf(second), 60],
      ["user-sessions:user-c", 120],
    ] as const) {
      const left = await redis.pttl(key);
      expect(left).toBeGreaterThan(0);
      expect(left).toBeLessThanOrEqual(seconds * 1000);
    }
  });
});
