/** Accounts that the directory no longer has: their sessions and tokens end, also without a use. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { LoginReply } from "./client.ts";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { type RunningSidecar, Stack } from "./stack.ts";

let stack: Stack;
let directory: StartedDirectoryContainer;
let settings: Record<string, string>;

beforeAll(async () => {
  [stack, directory] = await Promise.all([Stack.start(), startDirectory()]);
  settings = {
    ...directory.searchSettings,
    LDAP_ACTIVE_FILTER: "(!(description=locked))",
    LDAP_ROLES: "viewer: *",
    KEY_REFRESH_SECONDS: "1",
  };
});

afterAll(async () => {
  await Promise.all([stack[Symbol.asyncDispose](), directory.stop()]);
});

const dn = (uid: string) => `uid=${uid},ou=people,dc=example,dc=net`;
const person = (uid: string) =>
  [
    `dn: ${dn(uid)}`,
    "changetype: add",
    "objectClass: inetOrgPerson",
    ...["uid", "cn", "sn"].map((attribute) => `${attribute}: ${uid}`),
    `mail: ${uid}@example.net`,
    `userPassword: ${uid} has a password`,
    "",
  ].join("\n");
const remove = (uid: string) => `dn: ${dn(uid)}\nchangetype: delete\n`;
const lock = (uid: string) => `dn: ${dn(uid)}\nchangetype: modify\nreplace: description\ndescription: locked\n`;

async function login({ client }: RunningSidecar, uid: string) {
  const body = { email: `${uid}@example.net`, password: `${uid} has a password` };
  return ((await client.call("POST", "/api/auth/login/ldap", { body })).body as LoginReply).user;
}

const revoked = async ({ client }: RunningSidecar) =>
  Object.keys(((await client.call("GET", "/jwks")).body as { revoked_before: object }).revoked_before);
describe.each([
  ["removed", remove],
  ["locked", lock],
])("an account that is %s", (how, change) => {
  test("loses its tokens and all sessions at the next use of one session", async () => {
    await using running = await stack.sidecar(settings);
    const uid = `used-${how}`;
    await directory.change(person(uid));
    const [one, two] = [await login(running, uid), await login(running, uid)];
    expect((await running.client.token(one.sessionId)).status).toBe(200);
    await directory.change(change(uid));
    expect(await running.client.token(two.sessionId)).toMatchObject({ status: 401, body: { code: "no-session" } });
    await expect.poll(() => revoked(running), { timeout: 20_000 }).toContain(one._id);
    expect((await running.client.logout(one.sessionId)).status).toBe(401);
    expect((await stack.audit(one._id)).filter(({ event }) => event === "role-changed")).toMatchObject([
      { detail: { from: "viewer", to: "pending", by: "directory" } },
    ]);
  });

  test("loses them within LDAP_CHECK_SECONDS without a use", async () => {
    await using running = await stack.sidecar(settings, { lives: { LDAP_CHECK_SECONDS: 1 } });
    const [uid, other] = [`idle-${how}`, `idle-other-${how}`];
    await directory.change(`${person(uid)}\n${person(other)}`);
    const [gone, stays] = [await login(running, uid), await login(running, other)];
    for (const { sessionId } of [gone, stays]) expect((await running.client.token(sessionId)).status).toBe(200);
    await directory.change(change(uid));
    await expect.poll(() => revoked(running), { timeout: 20_000 }).toContain(gone._id);
    expect(await revoked(running)).not.toContain(stays._id);
    await expect.poll(() => stack.sessionCount(gone._id), { timeout: 20_000 }).toBe(0);
    expect((await running.client.token(stays.sessionId)).status).toBe(200);
  });
});

test("an account that cannot be read does not keep the rights of another", async () => {
  await using running = await stack.sidecar(settings, { lives: { LDAP_CHECK_SECONDS: 1 } });
  await directory.change(`${person("a-broken")}\n${person("z-gone")}`);
  const [broken, gone] = [await login(running, "a-broken"), await login(running, "z-gone")];
  for (const { sessionId } of [broken, gone]) expect((await running.client.token(sessionId)).status).toBe(200);
  await directory.change(`dn: ${dn("a-broken")}\nchangetype: modify\ndelete: mail\n\n${remove("z-gone")}`);
  await expect.poll(() => revoked(running), { timeout: 20_000 }).toContain(gone._id);
  expect(await revoked(running)).not.toContain(broken._id);
  expect(running.log()).toContain("an account with tokens cannot be read from the directory");
});

test("an outage takes no rights, and an account that returns gets its role again", async () => {
  await using running = await stack.sidecar(settings, { lives: { LDAP_CHECK_SECONDS: 1 } });
  await directory.change(person("back"));
  const user = await login(running, "back");
  expect((await running.client.token(user.sessionId)).status).toBe(200);
  {
    const LDAP_URL = "ldaps://localhost:9";
    await using blind = await stack.sidecar({ ...settings, LDAP_URL }, { lives: { LDAP_CHECK_SECONDS: 1 } });
    await expect.poll(() => blind.log(), { timeout: 20_000 }).toContain("they keep their rights until the next time");
    expect(await revoked(blind)).not.toContain(user._id);
  }
  await directory.change(lock("back"));
  await expect.poll(() => revoked(running), { timeout: 20_000 }).toContain(user._id);
  await directory.change(`dn: ${dn("back")}\nchangetype: modify\ndelete: description\n`);
  expect(await login(running, "back")).toMatchObject({ _id: user._id, role: "viewer" });
});

describe("after a new password", () => {
  const withTime = { LDAP_PASSWORD_TIME_ATTRIBUTE: "pwdChangedTime" };
  const newPassword = (uid: string) =>
    `dn: ${dn(uid)}\nchangetype: modify\nreplace: userPassword\nuserPassword: ${uid} has a password\n`;
  /** The time of a password has whole seconds, and clocks may differ by TOKEN_CLOCK_TOLERANCE_SECONDS (1). */
  const afterTolerance = () => sleep(2100);

  test("earlier sessions end at their next use, or within LDAP_CHECK_SECONDS", async () => {
    await using running = await stack.sidecar({ ...settings, ...withTime });
    await directory.change(`${person("fresh")}\n${person("fresh-idle")}`);
    await afterTolerance();
    const [used, idle] = [await login(running, "fresh"), await login(running, "fresh-idle")];
    for (const { sessionId } of [used, idle]) expect((await running.client.token(sessionId)).status).toBe(200);
    await afterTolerance();
    await directory.change(`${newPassword("fresh")}\n${newPassword("fresh-idle")}`);
    expect((await running.client.token(used.sessionId)).status).toBe(401);
    expect(await stack.sessionCount(idle._id)).toBe(1);
    await using watching = await stack.sidecar({ ...settings, ...withTime }, { lives: { LDAP_CHECK_SECONDS: 1 } });
    await expect.poll(() => stack.sessionCount(idle._id), { timeout: 20_000 }).toBe(0);
    expect(watching.log()).not.toContain("could not be read from the directory");
  });

  test("a login with it ends the earlier sessions and begins one that stays", async () => {
    await using running = await stack.sidecar({ ...settings, ...withTime });
    await directory.change(person("again"));
    await afterTolerance();
    const before = await login(running, "again");
    await afterTolerance();
    await directory.change(newPassword("again"));
    await afterTolerance();
    const after = await login(running, "again");
    expect((await running.client.logout(before.sessionId)).status).toBe(401);
    expect((await running.client.token(after.sessionId)).status).toBe(200);
  });
});
