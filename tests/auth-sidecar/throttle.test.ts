import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshAddress } from "./client.ts";
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

/** Keys of the counted failures, each kept until its window ends. */
const counts = (): Promise<string[]> => redis.keys("throttle:[^k]*");

/** Shortens every window, so that it ends after this number of milliseconds. */
async function nearEnds(milliseconds: number): Promise<void> {
  const keys = await counts();
  expect(keys).not.toEqual([]);
  for (const key of keys) await redis.pexpire(key, milliseconds);
}

test("ASVS 6.3.1: rejects an account from an address with 429 and Retry-After", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "3" });
  const user = await stack.addUser();
  const address = freshAddress();
  for (let attempt = 0; attempt < 3; attempt++)
    expect((await running.client.login(user.email, "wrong", { address })).status).toBe(401);
  const refused = await running.client.login(user.email, user.password, { address });
  expect(refused).toMatchObject({ status: 429, body: { code: "too-many-requests" } });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(890);
  expect(Number(refused.headers.get("retry-after"))).toBeLessThanOrEqual(900);
  expect((await running.client.login(user.email, user.password)).status, "from elsewhere").toBe(200);
  const { rows } = await stack.sql.query(
    "select outcome from auth.audit_events where host(address) = $1 and outcome = 'throttled'",
    [address],
  );
  expect(rows).toHaveLength(1);
});

test("blanks around an address log in, and share the count of its failures", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "3" });
  const user = await stack.addUser();
  const spelled = ` ${user.email.toUpperCase()}\t`;
  expect((await running.client.login(spelled, user.password)).status).toBe(200);
  const address = freshAddress();
  for (const name of [user.email, spelled, `${user.email} `]) {
    const refused = await running.client.login(name, "wrong", { address });
    expect([refused.status, refused.headers.get("www-authenticate")]).toEqual([401, "RouteQL"]);
  }
  expect((await running.client.login(` ${user.email}`, user.password, { address })).status).toBe(429);
});

test("ASVS 16.3.1: a storm of rejected logins is audited as the first one and a count", async () => {
  const user = await stack.addUser();
  const address = freshAddress();
  {
    await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1" });
    await running.client.login(user.email, "wrong", { address });
    for (let attempt = 0; attempt < 20; attempt++)
      expect((await running.client.login(user.email, "wrong", { address })).status).toBe(429);
  }
  const { rows } = await stack.sql.query(
    "select outcome, detail from auth.audit_events where host(address) = $1 and outcome = 'throttled' order by id",
    [address],
  );
  // The minute may end in between, which ends the count.
  const told = rows as { detail: { further?: number } }[];
  expect(told[0]?.detail).toEqual({ flow: "session", reason: "throttled" });
  expect(told.reduce((sum, { detail }) => sum + (detail.further ?? 1), 0)).toBe(20);
  expect(told.length).toBeLessThan(6);
});

test("ASVS 6.3.4: both flows share one count", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
  const user = await stack.addUser();
  const address = freshAddress();
  await running.client.login(user.email, "wrong", { address });
  await running.client.singleStep(user.email.toUpperCase(), "wrong", { address });
  expect((await running.client.singleStep(user.email, user.password, { address })).status).toBe(429);
  expect((await running.client.login(user.email, user.password, { address })).status).toBe(429);
});

test("answers 503 and counts nothing while there is no account at all", async () => {
  await stack.sql.query("truncate auth.users");
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
  const address = freshAddress();
  for (let attempt = 0; attempt < 4; attempt++)
    expect(await running.client.login("ada@example.net", "right", { address })).toMatchObject({
      status: 503,
      body: { code: "unavailable" },
    });
  const user = await stack.addUser();
  expect((await running.client.login(user.email, user.password, { address })).status).toBe(200);
});

test("throttles an unknown account like a known one", async () => {
  await stack.addUser();
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
  const address = freshAddress();
  const statuses: number[] = [];
  for (let attempt = 0; attempt < 3; attempt++)
    statuses.push((await running.client.login("nobody@example.net", "wrong", { address })).status);
  expect(statuses).toEqual([401, 401, 429]);
});

test("a successful login clears the account's count", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
  const user = await stack.addUser();
  const address = freshAddress();
  for (let round = 0; round < 3; round++) {
    expect((await running.client.login(user.email, "wrong", { address })).status).toBe(401);
    expect((await running.client.login(user.email, user.password, { address })).status).toBe(200);
  }
});

test("counts failures by address over all accounts; an IPv6 /64 is one address", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ADDRESS: "3" });
  const user = await stack.addUser();
  for (const [index, address] of ["2001:db8:0:7::1", "2001:db8:0:7::ffff:1", "2001:db8:0:7:a:b:c:d"].entries()) {
    await running.client.login(`nobody-${index}@example.net`, "wrong", { address });
  }
  expect((await running.client.login(user.email, user.password, { address: "2001:db8:0:7::9" })).status).toBe(429);
  expect((await running.client.login(user.email, user.password, { address: "2001:db8:0:8::9" })).status).toBe(200);
});

test("the account-wide limit spares addresses that the account uses", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1" });
  const user = await stack.addUser();
  const home = freshAddress();
  expect((await running.client.login(user.email, user.password, { address: home })).status).toBe(200);
  for (let guess = 0; guess < 10; guess++)
    expect((await running.client.login(user.email, `guess ${guess}`)).status).toBe(401);
  expect((await running.client.login(user.email, "guess 11")).status).toBe(429);
  expect((await running.client.login(user.email, user.password, { address: home })).status).toBe(200);
});

test("a refusal ends with its window although attempts continue", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1", LOGIN_WINDOW_SECONDS: "600" });
  const user = await stack.addUser();
  const address = freshAddress();
  await running.client.login(user.email, "wrong", { address });
  await nearEnds(60_000);
  for (let attempt = 0; attempt < 4; attempt++)
    expect((await running.client.login(user.email, "wrong", { address })).status).toBe(429);
  // Attempts have not extended the window.
  for (const key of await counts()) expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
  await nearEnds(1);
  await expect.poll(counts).toEqual([]);
  expect((await running.client.login(user.email, user.password, { address })).status).toBe(200);
});

test("ASVS 6.1.1, 6.3.1: the count is shared by replicas and survives a restart", async () => {
  const user = await stack.addUser();
  const address = freshAddress();
  const limits = { LOGIN_ATTEMPTS_PER_ACCOUNT: "2" };
  {
    await using first = await stack.sidecar(limits);
    await using second = await stack.sidecar(limits);
    await first.client.login(user.email, "wrong", { address });
    await second.client.login(user.email, "wrong", { address });
    expect((await first.client.login(user.email, user.password, { address })).status).toBe(429);
  }
  await using restarted = await stack.sidecar(limits);
  expect((await restarted.client.login(user.email, user.password, { address })).status).toBe(429);
});

test("ASVS 6.3.1: of concurrent guesses exactly the limit get the answer wrong credentials", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "3" });
  const user = await stack.addUser();
  const address = freshAddress();
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, guess) => running.client.login(user.email, `guess ${guess}`, { address })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect({ wrong: count(401), refused: count(429) }).toEqual({ wrong: 3, refused: 17 });
});

test("ASVS 4.1.3: only the last address of X-Forwarded-For counts", async () => {
  await using running = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "2" });
  const user = await stack.addUser();
  const address = freshAddress();
  for (let attempt = 0; attempt < 2; attempt++)
    await running.client.login(user.email, "wrong", { address: `198.51.100.${attempt}, ${address}` });
  expect((await running.client.login(user.email, user.password, { address })).status).toBe(429);
});

test("logins beyond the queue get 429, and queued ones are served", async () => {
  await using running = await stack.sidecar({ PASSWORD_HASH_CONCURRENCY: "1", PASSWORD_HASH_QUEUE: "5" });
  const user = await stack.addUser();
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => running.client.singleStep(user.email, user.password)),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  expect(count(200)).toBeGreaterThanOrEqual(1);
  expect(count(429)).toBeGreaterThan(0);
  expect(count(200) + count(429)).toBe(40);
  for (const { milliseconds } of answers) expect(milliseconds).toBeLessThan(10_000);
});
