import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { LoginReply } from "./client.ts";
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

beforeEach(async () => {
  await stack.sql.query("truncate auth.audit_events");
});

/** Runs the administration as it runs inside the container. */
async function run(words: readonly string[], input = ""): Promise<{ code: number; output: string; error: string }> {
  const child = spawn(process.execPath, ["auth-sidecar/src/administration/main.ts", ...words], {
    env: { ...stack.environment },
  });
  child.stdin.end(input);
  const [output, error, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, "close") as Promise<[number]>,
  ]);
  return { code, output, error };
}

async function done(words: readonly string[], input?: string): Promise<string> {
  const { code, output, error } = await run(words, input);
  expect({ code, error }).toEqual({ code: 0, error: "" });
  return output;
}

const password = "correct horse battery staple";
const events = async () =>
  (await stack.sql.query<{ event: string }>("select event from auth.audit_events order by id")).rows.map(
    ({ event }) => event,
  );

test("refuses an unknown organisation, and creates one with --new-organisation", async () => {
  const add = (email: string, option: string) =>
    run(["users", "add", email, "--role", "tenant", option, "fresh"], `${password}\n`);
  const refused = await add("one@example.net", "--organisation");
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.error).toContain("there is no organisation fresh");
  expect(refused.error).toContain("--new-organisation fresh");
  const before = await stack.sql.query("select id from auth.organisations where id = 'fresh'");
  expect(before.rows).toEqual([]);
  expect(await add("two@example.net", "--new-organisation")).toMatchObject({ code: 0 });
  expect(await add("three@example.net", "--organisation")).toMatchObject({ code: 0 });
});

test("adds an account with a password from standard input, which logs in and is listed", async () => {
  const output = await done(
    [
      "users",
      "add",
      "Tenant@Example.net",
      "--role",
      "tenant",
      "--new-organisation",
      "as64496",
      "--name",
      "A tenant",
      "--json",
    ],
    `${password}\n`,
  );
  const [added] = JSON.parse(output) as Record<string, unknown>[];
  expect(added).toMatchObject({
    provider: "local",
    email: "tenant@example.net",
    name: "A tenant",
    role: "tenant",
    organisation: "as64496",
    disabled: false,
    lastLogin: null,
  });
  const { body } = await running.client.login("tenant@example.net", password);
  expect((body as LoginReply).user).toMatchObject({ _id: added!["id"], role: "tenant" });
  expect(JSON.parse(await done(["users", "show", "tenant@example.net", "--json"]))).toMatchObject([{ sessions: 1 }]);
  expect(await done(["users", "list"])).toContain("tenant@example.net");
  expect(await events()).toContain("user-added");
});

test("a role is changed, and the next token has it", async () => {
  const user = await stack.addUser("pending");
  const sessionId = await running.client.session(user.email, user.password);
  expect((await running.client.token(sessionId)).status).toBe(403);
  await done(["users", "role", user.email, "analyst"]);
  expect((await running.client.token(sessionId)).status).toBe(200);
  expect(await stack.audit(user.id)).toContainEqual(
    expect.objectContaining({ event: "role-changed", detail: { from: "pending", to: "analyst", by: "command" } }),
  );
});

test("ASVS 7.4.2: disabling ends the sessions, and enabling restores none", async () => {
  const user = await stack.addUser();
  const sessions = [
    await running.client.session(user.email, user.password),
    await running.client.session(user.email, user.password),
  ];
  expect(await done(["users", "disable", user.id])).toContain("2 sessions ended");
  for (const sessionId of sessions) expect((await running.client.token(sessionId)).status).toBe(401);
  expect((await running.client.login(user.email, user.password)).status).toBe(403);
  await done(["users", "enable", user.email]);
  for (const sessionId of sessions) expect((await running.client.token(sessionId)).status).toBe(401);
  expect((await running.client.login(user.email, user.password)).status).toBe(200);
});

test("a new password replaces the old one and ends the sessions", async () => {
  const user = await stack.addUser();
  const sessionId = await running.client.session(user.email, user.password);
  expect(await done(["users", "password", user.email], password)).toContain("1 session ended");
  expect((await running.client.token(sessionId)).status).toBe(401);
  expect((await running.client.login(user.email, user.password)).status).toBe(401);
  expect((await running.client.login(user.email, password)).status).toBe(200);
});

test("ASVS 7.4.5: an operator lists and ends the sessions of one account", async () => {
  const user = await stack.addUser();
  const other = await stack.addUser();
  const mine = await running.client.session(user.email, user.password);
  const others = await running.client.session(other.email, other.password);
  expect(JSON.parse(await done(["users", "sessions", user.email, "--json"]))).toEqual([
    { createdAt: expect.any(String) as string, usedAt: expect.any(String) as string },
  ]);
  expect(await done(["users", "end-sessions", user.email])).toContain("1 session ended");
  expect((await running.client.token(mine)).status).toBe(401);
  expect((await running.client.token(others)).status).toBe(200);
});

test("unlocks one account, or all accounts and addresses", async () => {
  await using strict = await stack.sidecar({ LOGIN_ATTEMPTS_PER_ACCOUNT: "1" });
  const [user, other] = [await stack.addUser(), await stack.addUser()];
  const from = { address: "198.51.100.77" };
  const lock = async ({ email }: { email: string }) => {
    expect((await strict.client.login(email, "wrong", from)).status).toBe(401);
    expect((await strict.client.login(email, "wrong", from)).status).toBe(429);
  };
  const logsIn = async ({ email, password }: { email: string; password: string }) =>
    (await strict.client.login(email, password, from)).status;
  await lock(user);
  await lock(other);
  expect(await done(["users", "unlock", user.email.toUpperCase()])).toContain("2 counts of failed logins deleted");
  expect([await logsIn(user), await logsIn(other)]).toEqual([200, 429]);
  expect(await done(["users", "unlock"])).toContain("deleted");
  expect(await logsIn(other)).toBe(200);
});

test("keys are listed, rotated and retired", async () => {
  const keys = async () => JSON.parse(await done(["keys", "list", "--json"])) as { id: string; state: string }[];
  const [first] = await keys();
  expect(first).toMatchObject({ algorithm: "ES256", state: "signing" });
  expect(await done(["keys", "rotate"])).toMatch(/^key [\w-]{43} is published and signs from /);
  expect(await run(["keys", "rotate"])).toMatchObject({
    code: 1,
    error: expect.stringContaining("a rotation is under way") as string,
  });
  expect((await keys()).map(({ state }) => state)).toEqual(["signing", "next"]);
  expect(await done(["keys", "retire", first!.id])).toMatch(
    /^key [\w-]{43} is withdrawn at \S+Z, when key [\w-]{43} signs/,
  );
  expect(await events()).toEqual(["key-rotated", "key-retired"]);
  await expect
    .poll(async () => (await keys()).map(({ state }) => state).sort(), { timeout: 20_000, interval: 500 })
    .toEqual(["retired", "signing"]);
  // The sidecar records that it has deleted the private half.
  await expect.poll(events, { timeout: 20_000, interval: 500 }).toEqual(["key-rotated", "key-retired", "key-retired"]);
});

test.each([
  [["users", "show"], "", "which account"],
  [["users", "show", "nobody@example.net"], "", "there is no local account nobody@example.net"],
  [["users", "add", "not-an-address", "--role", "viewer"], password, "no e-mail address"],
  [["users", "add", "a@example.net", "--role", "admin"], password, "the role must be one of"],
  [["users", "add", "a@example.net"], password, "the role must be one of"],
  [["users", "add", "a@example.net", "--role", "tenant"], password, "a tenant needs an organisation"],
  [["users", "add", "a@example.net", "--role", "viewer"], "short", "the password must have at least 12 characters"],
  [["keys", "retire"], "", "which key"],
  [["keys", "retire", "unknown"], "", "there is no key unknown"],
])("rejects %j with an error message and changes nothing", async (words, input, sentence) => {
  const { code, output, error } = await run(words, input);
  expect({ code, output }).toEqual({ code: 1, output: "" });
  expect(error).toContain(sentence);
  expect(error.trim().split("\n")).toHaveLength(1);
  expect(await events()).toEqual([]);
});

test.each([
  ["role", ["analyst"], "the role of a directory account comes from its groups"],
  ["password", [], "the password of a directory account is the directory's"],
])("cannot change the %s of a directory account", async (verb, words, sentence) => {
  const id = `ldap-${verb}`;
  await stack.sql.query(
    "insert into auth.users (id, provider, email, name, role) values ($1, 'ldap', $1 || '@example.net', 'Of the directory', 'viewer')",
    [id],
  );
  const before = await stack.sql.query("select * from auth.users where id = $1", [id]);
  const { code, error } = await run(["users", verb, id, ...words, "--provider", "ldap"], password);
  expect({ code, error }).toEqual({ code: 1, error: expect.stringContaining(sentence) as string });
  expect((await stack.sql.query("select * from auth.users where id = $1", [id])).rows).toEqual(before.rows);
  expect(await events()).toEqual([]);
});

test("an address has one local account, in any spelling", async () => {
  const user = await stack.addUser();
  expect(await run(["users", "add", user.email.toUpperCase(), "--role", "viewer"], password)).toMatchObject({
    code: 1,
    error: expect.stringContaining("already") as string,
  });
});

test("--help lists every command", async () => {
  const { code, output } = await run(["--help"]);
  expect(code).toBe(0);
  for (const command of ["users add", "users end-sessions", "keys rotate"]) expect(output).toContain(command);
});
