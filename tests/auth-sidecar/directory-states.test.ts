/** Accounts that a directory locks, ends or gives a temporary password: their logins, and the sessions from before. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "ldapts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isRootless } from "../harness/docker/require-limits.ts";
import type { LoginReply } from "./client.ts";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { type RunningSidecar, Stack } from "./stack.ts";

const page = readFileSync(new URL("../../docs/operate/ldap.md", import.meta.url), "utf8");
/** The filter that the page recommends for the overlay ppolicy. */
const [, activeFilter = ""] = /`LDAP_ACTIVE_FILTER=([^`]+pwdReset[^`]+)`/.exec(page) ?? [];

let stack: Stack;
beforeAll(async () => void (stack = await Stack.start()));
afterAll(() => stack[Symbol.asyncDispose]());

const modify = (dn: string, ...lines: readonly string[]) =>
  [`dn: ${dn}`, "changetype: modify", ...lines, ""].join("\n");

/** Logs an account in, changes it, and tries its password and its session again. @returns both statuses */
async function afterChange(
  { client }: RunningSidecar,
  { email, password }: { readonly email: string; readonly password: string },
  change: () => Promise<unknown>,
): Promise<readonly [login: number, session: number]> {
  const login = () => client.call("POST", "/api/auth/login/ldap", { body: { email, password } });
  const first = await login();
  expect(first.status).toBe(200);
  const { sessionId } = (first.body as LoginReply).user;
  await change();
  // The session first, because a login of its account ends it.
  const { status } = await client.token(sessionId);
  return [(await login()).status, status];
}

describe("OpenLDAP with ppolicy", () => {
  let directory: StartedDirectoryContainer;
  let sidecar: RunningSidecar;
  let count = 0;
  let email: string;
  let dn: string;
  const password = "the account has a password";

  beforeAll(async () => {
    directory = await startDirectory();
    await directory.change(
      [
        "dn: cn=policy,dc=example,dc=net",
        "changetype: add",
        "objectClass: person",
        "objectClass: pwdPolicy",
        "cn: policy",
        "sn: policy",
        "pwdAttribute: userPassword",
        "pwdLockout: TRUE",
        "pwdMaxFailure: 3",
        "pwdLockoutDuration: 5",
        "",
      ].join("\n"),
    );
    sidecar = await stack.sidecar({
      ...directory.searchSettings,
      LDAP_ROLES: "viewer: *",
      LDAP_ACTIVE_FILTER: activeFilter,
    });
  });
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await directory?.stop();
  });

  beforeEach(async () => {
    const uid = `state${count++}`;
    email = `${uid}@example.net`;
    dn = `uid=${uid},ou=people,dc=example,dc=net`;
    await directory.change(
      [
        `dn: ${dn}`,
        "changetype: add",
        "objectClass: inetOrgPerson",
        `uid: ${uid}`,
        "cn: State",
        "sn: State",
        `mail: ${email}`,
        `userPassword: ${password}`,
        "pwdPolicySubentry: cn=policy,dc=example,dc=net",
        "",
      ].join("\n"),
    );
  });

  test.each([
    ["a lock for ever", "pwdAccountLockedTime: 000001010000Z"],
    ["a temporary password", "pwdReset: TRUE"],
    ["a past end", "pwdEndTime: 20210101000000Z"],
  ])("%s ends sessions and rejects logins", async (_, line) => {
    const change = () => directory.change(modify(dn, `add: ${line.split(":")[0]}`, line));
    expect(await afterChange(sidecar, { email, password }, change)).toEqual([401, 401]);
  });

  test("wrong passwords lock an account for a time, and end no session", async () => {
    const guess = async () => {
      for (let attempt = 0; attempt < 4; attempt++) {
        const client = new Client({ url: `ldap://localhost:${directory.getPlainPort()}` });
        await expect(client.bind(dn, "wrong")).rejects.toThrow();
        await client.unbind();
      }
    };
    expect(await afterChange(sidecar, { email, password }, guess)).toEqual([401, 200]);
    await sleep(6_000);
    const login = await sidecar.client.call("POST", "/api/auth/login/ldap", { body: { email, password } });
    expect(login.status).toBe(200);
  });
});

describe("Active Directory", () => {
  let directory: StartedDirectoryContainer;
  let sidecar: RunningSidecar;
  beforeEach((context) =>
    context.skip(isRootless, "Samba stores attributes of the namespace `security`, which a rootless engine rejects"),
  );

  beforeAll(async () => {
    if (isRootless) return;
    directory = await startDirectory("active-directory");
    const [, example = ""] = /^## Active Directory\n[^#]*?```ini\n([^`]+)\n```/m.exec(page) ?? [];
    const settings = Object.fromEntries(
      example.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    delete settings["LDAP_CA_FILE"];
    sidecar = await stack.sidecar({
      ...settings,
      LDAP_URL: `ldaps://localhost:${directory.getTlsPort()}`,
      LDAP_CA: directory.ca,
      LDAP_BIND_PASSWORD: "routeql has a Password 1",
      LDAP_TIMEOUT_MILLISECONDS: "30000",
    });
  });
  afterAll(async () => {
    await sidecar?.[Symbol.asyncDispose]();
    await directory?.stop();
  });

  test.each([
    ["a disabled account", "cy", "CN=Cy", "userAccountControl: 514", [401, 401]],
    ["an ended account", "ben", "CN=Analyst\\, Ben", "accountExpires: 132539328000000000", [401, 401]],
    // A session needs no password.
    ["a password that must change", "eve", "CN=Eve", "pwdLastSet: 0", [401, 200]],
  ] as const)("%s", async (_, name, cn, line, expected) => {
    const account = { email: `${name}@example.net`, password: `${name} has a Password 1` };
    const change = () =>
      directory.change(modify(`${cn},OU=Staff,DC=example,DC=net`, `replace: ${line.split(":")[0]}`, line));
    expect(await afterChange(sidecar, account, change)).toEqual(expected);
  });

  test("a group of the same name in another unit grants nothing", async () => {
    const group = "CN=RouteQL Operators,OU=Staff,DC=example,DC=net";
    const member = "member: CN=Dot,OU=Staff,DC=example,DC=net";
    await directory.change(`dn: ${group}\nchangetype: add\nobjectClass: group\nsAMAccountName: own\n${member}\n`);
    const body = { email: "dot@example.net", password: "dot has a Password 1" };
    const login = await sidecar.client.call("POST", "/api/auth/login/ldap", { body });
    expect(login.status).toBe(200);
    // Without a group an account gets no token.
    expect((await sidecar.client.token((login.body as LoginReply).user.sessionId)).status).toBe(403);
  });
});
