import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { numberSettings } from "@routeql/sidecar-settings/numbers";
import { hasuraNamespace } from "@routeql/auth-sidecar/tokens/token-claims";
import { type RunningSidecar, Stack, type TestUser } from "./stack.ts";

let stack: Stack;
let running: RunningSidecar;

beforeAll(async () => {
  stack = await Stack.start();
  running = await stack.sidecar({ KEY_REFRESH_SECONDS: "1" });
});

afterAll(async () => {
  await running[Symbol.asyncDispose]();
  await stack[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await stack.sql.query("truncate auth.revoked_tokens");
});

async function published(): Promise<Record<string, number>> {
  const { body } = await running.client.call("GET", "/jwks");
  return (body as { revoked_before: Record<string, number> }).revoked_before;
}

/** The entry of the account once the sidecar has read it again. */
async function revokedBefore({ id }: TestUser): Promise<number> {
  await expect.poll(published, { timeout: 5000, interval: 100 }).toHaveProperty(id);
  return (await published())[id]!;
}

const now = (): number => Date.now() / 1000;

test.each([
  ["the role changes", "update auth.users set role = 'analyst' where id = $1"],
  ["the organisation changes", "update auth.users set organisation_id = 'other' where id = $1"],
  ["the account is disabled", "update auth.users set disabled = true where id = $1"],
  ["the account is deleted", "delete from auth.users where id = $1"],
])("publishes a revocation when %s", async (_title, statement) => {
  await stack.sql.query("insert into auth.organisations (id, name) values ('other', 'other') on conflict do nothing");
  const user = await stack.addUser();
  const began = now();
  await stack.sql.query(statement, [user.id]);
  const time = await revokedBefore(user);
  expect(time).toBeGreaterThanOrEqual(Math.floor(began) + 3);
  expect(time).toBeLessThanOrEqual(now() + 3);
});

test.each([
  ["the account is enabled", "update auth.users set disabled = false where id = $1"],
  ["the name or a login time changes", "update auth.users set name = 'New', last_login = now() where id = $1"],
  ["nothing changes", "update auth.users set role = role, organisation_id = organisation_id where id = $1"],
])("publishes nothing when %s", async (_title, statement) => {
  const user = await stack.addUser();
  await stack.sql.query("update auth.users set disabled = true where id = $1", [user.id]);
  await stack.sql.query("truncate auth.revoked_tokens");
  await stack.sql.query(statement, [user.id]);
  const { rows } = await stack.sql.query("select * from auth.revoked_tokens");
  expect(rows).toEqual([]);
});

test("the time of a revocation is that of the commit, not of the statement", async () => {
  const user = await stack.addUser();
  await stack.sql.query("begin");
  await stack.sql.query("update auth.users set role = 'analyst' where id = $1", [user.id]);
  await sleep(3100);
  const committing = now();
  await stack.sql.query("commit");
  expect(await revokedBefore(user)).toBeGreaterThan(committing + 2);
});

test("a role that changes during the password check applies to the token", async () => {
  const user = await stack.addUser("operator");
  await using other = await stack.database.connect("owner");
  await other.query("begin");
  await other.query("update auth.users set role = 'viewer' where id = $1", [user.id]);
  const login = running.client.singleStep(user.email, user.password);
  const waiting = "select count(*)::int as count from pg_locks where not granted";
  await expect
    .poll(async () => (await stack.sql.query<{ count: number }>(waiting)).rows[0]!.count, { interval: 20 })
    .toBe(1);
  await other.query("commit");
  const { body } = await login;
  const claims = decodeJwt((body as { access_token: string }).access_token);
  expect(claims[hasuraNamespace]).toMatchObject({ "x-hasura-allowed-roles": ["viewer"] });
});

test("a token that is signed during a change is older than its revocation", async () => {
  const user = await stack.addUser("operator");
  const sessionId = await running.client.session(user.email, user.password);
  await using other = await stack.database.connect("owner");
  await other.query("begin");
  await other.query("update auth.users set role = 'viewer' where id = $1", [user.id]);
  const { body } = await running.client.token(sessionId);
  await other.query("commit");
  const { iat, [hasuraNamespace]: claims } = decodeJwt((body as { access_token: string }).access_token);
  expect(claims).toMatchObject({ "x-hasura-allowed-roles": ["operator"] });
  expect(iat).toBeLessThan(await revokedBefore(user));
});

describe("a token right after a change of its account", () => {
  const tokenOf = ({ body }: { readonly body: unknown }) => decodeJwt((body as { access_token: string }).access_token);

  test.each([
    ["a changed role", ["update auth.users set role = 'analyst' where id = $1"]],
    [
      "a disabled and enabled account",
      ["update auth.users set disabled = true where id = $1", "update auth.users set disabled = false where id = $1"],
    ],
  ])("of both flows is not revoked, and delays no other account: %s", async (_title, statements) => {
    const [user, other] = await Promise.all([stack.addUser(), stack.addUser()]);
    const sessionId = await running.client.session(user.email, user.password);
    const otherSession = await running.client.session(other.email, other.password);
    for (const statement of statements) await stack.sql.query(statement, [user.id]);
    const flows = Promise.all([running.client.token(sessionId), running.client.singleStep(user.email, user.password)]);
    let waits = true;
    const ended = flows.finally(() => (waits = false));
    await running.client.token(otherSession);
    expect(waits).toBe(true);
    const answers = await ended;
    const revoked = await revokedBefore(user);
    for (const { iat } of answers.map(tokenOf)) expect(iat).toBeGreaterThanOrEqual(revoked);
    const recorded = (await stack.audit(user.id)).filter(({ event }) => event === "token");
    expect(new Set(recorded.map(({ detail }) => (detail as { jti: string }).jti))).toEqual(
      new Set(answers.map((answer) => tokenOf(answer).jti)),
    );
  });

  test("has the role of a change during its wait", async () => {
    const user = await stack.addUser("operator");
    const sessionId = await running.client.session(user.email, user.password);
    await stack.sql.query("update auth.users set role = 'analyst' where id = $1", [user.id]);
    const answer = running.client.token(sessionId);
    await sleep(1500);
    await stack.sql.query("update auth.users set role = 'viewer' where id = $1", [user.id]);
    const { iat, [hasuraNamespace]: claims } = tokenOf(await answer);
    expect(claims).toMatchObject({ "x-hasura-allowed-roles": ["viewer"] });
    expect(iat).toBeGreaterThanOrEqual(await revokedBefore(user));
  });

  test("is refused when the account or its session ends during the wait", async () => {
    const [disabled, loggedOut] = await Promise.all([stack.addUser(), stack.addUser()]);
    const sessions = [
      await running.client.session(disabled.email, disabled.password),
      await running.client.session(loggedOut.email, loggedOut.password),
    ] as const;
    await stack.sql.query("update auth.users set role = 'analyst' where id = any($1)", [[disabled.id, loggedOut.id]]);
    const answers = sessions.map((session) => running.client.token(session));
    await sleep(500);
    await stack.sql.query("update auth.users set disabled = true where id = $1", [disabled.id]);
    await running.client.logout(sessions[1]);
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([403, 401]);
  });

  test("is 503 with the seconds to wait when the tolerance makes the wait too long", async () => {
    await using tolerant = await stack.sidecar({ TOKEN_CLOCK_TOLERANCE_SECONDS: "30" });
    const user = await stack.addUser();
    await stack.sql.query("update auth.users set role = 'analyst' where id = $1", [user.id]);
    const { status, headers, body } = await tolerant.client.singleStep(user.email, user.password);
    expect(status).toBe(503);
    expect(body).toMatchObject({ code: "unavailable" });
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(25);
  });
});

test("more than 1,000 accounts become one revocation for all", async () => {
  await stack.sql.query(
    "insert into auth.revoked_tokens select 'account ' || i, now() - i * interval '1 s' from generate_series(0, 1000) i",
  );
  await expect.poll(published, { timeout: 5000 }).toHaveProperty("*");
  const revocations = await published();
  expect(Object.keys(revocations)).toEqual(["*"]);
  expect(revocations["*"]).toBeGreaterThan(now() - 60);
});

test("publishes an entry as long as the longest token lives, and deletes it later", async () => {
  await stack.sql.query(
    "insert into auth.revoked_tokens values ('kept', now() - interval '59 min'), ('over', now() - interval '62 min'), ('old', now() - interval '3 h')",
  );
  await expect.poll(published, { timeout: 5000 }).toHaveProperty("kept");
  expect(Object.keys(await published())).toEqual(["kept"]);
  const user = await stack.addUser();
  await stack.sql.query("delete from auth.users where id = $1", [user.id]);
  const { rows } = await stack.sql.query("select account_id from auth.revoked_tokens order by account_id");
  expect(rows.map(({ account_id: account }: { account_id: string }) => account).toSorted()).toEqual(
    ["kept", "over", user.id].toSorted(),
  );
});

test("with the largest clock tolerance, no token from before a withdrawal passes", async () => {
  const largest = numberSettings.TOKEN_CLOCK_TOLERANCE_SECONDS.maximum;
  const life = numberSettings.TOKEN_LIFE_SECONDS.maximum;
  await using tolerant = await stack.sidecar({
    KEY_REFRESH_SECONDS: "1",
    TOKEN_CLOCK_TOLERANCE_SECONDS: String(largest),
    TOKEN_LIFE_SECONDS: String(life),
  });
  const user = await stack.addUser();
  await stack.sql.query("update auth.users set role = 'analyst' where id = $1", [user.id]);
  const withdrawn = now();
  const entries = async () => {
    const { body } = await tolerant.client.call("GET", "/jwks");
    return (body as { revoked_before: Record<string, number> }).revoked_before;
  };
  await expect.poll(entries, { timeout: 5000, interval: 100 }).toHaveProperty(user.id);
  // Stamped just before the withdrawal by a clock that is ahead.
  expect((await entries())[user.id]).toBeGreaterThan(withdrawn + largest);
  // The token ends for a clock that is behind and tolerates as much; the entry is published until then.
  const last = life + 3 * largest;
  await stack.sql.query("update auth.revoked_tokens set issued_before = now() - make_interval(secs => $1)", [last - 5]);
  await sleep(2500);
  expect(await entries()).toHaveProperty(user.id);
});

test("the role of the sidecar reads revocations and cannot change them", async () => {
  await using sidecar = await stack.database.connect("sidecar");
  await expect(sidecar.query("select * from auth.revoked_tokens")).resolves.toBeDefined();
  for (const statement of [
    "delete from auth.revoked_tokens",
    "update auth.revoked_tokens set issued_before = now()",
    "insert into auth.revoked_tokens values ('a', now())",
    "truncate auth.revoked_tokens",
  ])
    await expect(sidecar.query(statement)).rejects.toThrow("permission denied");
});
