/** Shapes that directories have: groups by uid or by DN, ids of bytes, contacts, wrong bases and missing rights. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LoginReply } from "./client.ts";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { Stack } from "./stack.ts";

type Values = Readonly<Record<string, string>>;

let stack: Stack;
let directory: StartedDirectoryContainer;
let settings: Values;

const add = (dn: string, ...lines: readonly string[]) => [`dn: ${dn}`, "changetype: add", ...lines, ""].join("\n");
const people = "ou=shapes,ou=people,dc=example,dc=net";
const groups = "ou=shapes,ou=groups,dc=example,dc=net";
const passwordOf = (uid: string) => `${uid} has a password`;
const person = (uid: string, ...lines: readonly string[]) =>
  add(
    `uid=${uid},${people}`,
    "objectClass: inetOrgPerson",
    `uid: ${uid}`,
    `cn: ${uid}`,
    `sn: ${uid}`,
    `mail: ${uid}@example.net`,
    `userPassword: ${passwordOf(uid)}`,
    ...lines,
  );
const posix = (uid: string, gid: number) => [
  "objectClass: posixAccount",
  `uidNumber: ${gid}`,
  `gidNumber: ${gid}`,
  `homeDirectory: /home/${uid}`,
];

beforeAll(async () => {
  [stack, directory] = await Promise.all([Stack.start(), startDirectory()]);
  settings = {
    ...directory.searchSettings,
    LDAP_GROUP_BASE: "ou=groups,dc=example,dc=net",
    LDAP_ROLES: "operator: cn=noc,ou=groups,dc=example,dc=net; analyst: staff",
  };
  await directory.change(
    [
      add(people, "objectClass: organizationalUnit", "ou: shapes"),
      add(groups, "objectClass: organizationalUnit", "ou: shapes"),
      person("pia", ...posix("pia", 7001)),
      person("quinn", ...posix("quinn", 7002)),
      person("rob", ...posix("rob", 7003), "uid: pia"),
      person("eda", "objectClass: eDirectoryUser", "GUID:: gIGCg4SFhoeIiYqLjI2Ojw==", "loginDisabled: FALSE"),
      add(`cn=desk,${groups}`, "objectClass: posixGroup", "cn: desk", "gidNumber: 7100", "memberUid: pia"),
      add(`cn=primary,${groups}`, "objectClass: posixGroup", "cn: primary", "gidNumber: 7002"),
      add(
        `cn=bis,${groups}`,
        "objectClass: groupOfNames",
        "objectClass: posixGroupBis",
        "cn: bis",
        "gidNumber: 7200",
        `member: uid=quinn,${people}`,
        `member: uid=eda,${people}`,
      ),
      add(`cn=unique,${groups}`, "objectClass: groupOfUniqueNames", "cn: unique", `uniqueMember: uid=rob,${people}`),
    ].join("\n"),
  );
});

afterAll(async () => {
  await Promise.all([stack[Symbol.asyncDispose](), directory.stop()]);
});

/** Status and role of a login with changed settings, and the log. */
async function login(uid: string, changes: Values, email = `${uid}@example.net`) {
  await using running = await stack.sidecar({ ...settings, ...changes });
  const body = { email, password: passwordOf(uid) };
  const reply = await running.client.call("POST", "/api/auth/login/ldap", { body });
  const user = reply.status === 200 ? (reply.body as LoginReply).user : undefined;
  return { status: reply.status, id: user?._id, role: user?.role, log: running.log() };
}

/** The administration as it runs inside the container. */
async function users(words: readonly string[], changes: Values = {}) {
  const env = { ...stack.environment, ...settings, ...changes };
  const child = spawn(process.execPath, ["auth-sidecar/src/administration/main.ts", "users", ...words], { env });
  child.stdin.end();
  const [output, error] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, text: output + error };
}

const rfc2307 = { LDAP_GROUP_FILTER: "(&(objectClass=posixGroup)(|(memberUid={{uid}})(gidNumber={{gidNumber}})))" };

test.each<[string, string, string, Values]>([
  ["memberUid", "pia", "analyst", { ...rfc2307, LDAP_ROLES: "analyst: desk; viewer: *" }],
  ["the primary gidNumber", "quinn", "analyst", { ...rfc2307, LDAP_ROLES: "analyst: primary; viewer: *" }],
  ["a uid of another account, only added", "rob", "viewer", { ...rfc2307, LDAP_ROLES: "analyst: desk; viewer: *" }],
  ["a 2307bis group", "quinn", "analyst", { LDAP_ROLES: "analyst: bis; viewer: *" }],
  [
    "uniqueMember",
    "rob",
    "analyst",
    { LDAP_GROUP_FILTER: "(uniqueMember={{dn}})", LDAP_ROLES: "analyst: unique; viewer: *" },
  ],
])("reads groups by %s", async (_how, uid, role, changes) => {
  expect(await login(uid, changes)).toMatchObject({ status: 200, role });
});

test("an account of eDirectory has the hexadecimal id of its GUID, and its state", async () => {
  const edirectory = {
    LDAP_ID_ATTRIBUTE: "guid",
    LDAP_ACTIVE_FILTER: "(!(loginDisabled=TRUE))",
    LDAP_ROLES: "analyst: bis",
  };
  expect(await login("eda", edirectory)).toMatchObject({
    status: 200,
    role: "analyst",
    id: "ldap-808182838485868788898a8b8c8d8e8f",
  });
});

test.each<[string, Values, RegExp]>([
  [
    "a base with a typing mistake",
    { LDAP_USER_BASE: "ou=peple,dc=example,dc=net" },
    /LDAP_USER_BASE ou=peple,\S+ does not exist/,
  ],
  [
    "a group base with a typing mistake",
    { LDAP_GROUP_BASE: "ou=gruops,dc=example,dc=net" },
    /LDAP_GROUP_BASE ou=gruops,\S+ does not exist/,
  ],
  [
    "a search account without rights there",
    { LDAP_BIND_DN: "uid=ada,ou=people,dc=example,dc=net", LDAP_BIND_PASSWORD: "ada has a password" },
    /LDAP_USER_BASE .* LDAP_BIND_DN may not read it/,
  ],
])("%s is 503, named in the log and by the check", async (_what, changes, reason) => {
  const { status, log } = await login("ben", changes);
  expect(status).toBe(503);
  expect(log).toMatch(reason);
  const check = await users(["directory"], changes);
  expect(check.code).toBe(1);
  expect(check.text).toMatch(reason);
});

test.each<[string, Values, RegExp]>([
  [
    "an id attribute that no account has",
    { LDAP_ID_ATTRIBUTE: "employeeNumber" },
    /no usable employeeNumber: correct LDAP_ID_ATTRIBUTE/,
  ],
  [
    "an address attribute that no account has",
    { LDAP_USER_FILTER: "(uid={{username}})", LDAP_EMAIL_ATTRIBUTE: "email" },
    /no usable email: correct LDAP_EMAIL_ATTRIBUTE/,
  ],
  ["a filter that matches nobody", { LDAP_ACTIVE_FILTER: "(o=nowhere)" }, /no account below LDAP_USER_BASE/],
  [
    "a group by DN that does not exist",
    { LDAP_ROLES: "operator: cn=NOC\\, Day,ou=groups,dc=example,dc=net; viewer: *" },
    /line 1 of LDAP_ROLES names the group cn=NOC\\, Day,\S+ the directory has no such group/,
  ],
  [
    "a group by cn that does not exist",
    { LDAP_ROLES: "operator: noc; analyst: stuff" },
    /line 2 of LDAP_ROLES names the group stuff/,
  ],
  [
    "a wrong password of the search account",
    { LDAP_BIND_PASSWORD: "wrong" },
    /correct LDAP_BIND_DN and LDAP_BIND_PASSWORD/,
  ],
])("the check names %s", async (_what, changes, reason) => {
  const { code, text: printed } = await users(["directory"], changes);
  expect(code).toBe(1);
  expect(printed.trim().split("\n")).toHaveLength(1);
  expect(printed).toMatch(reason);
});

test("the check makes the searches of a login at each server", async () => {
  expect(await users(["directory"])).toMatchObject({
    code: 0,
    text: expect.stringMatching(/answers the searches of a login\n$/),
  });
  const dead = await users(["directory"], { LDAP_URL: `${settings["LDAP_URL"]} ldaps://localhost:9` });
  expect(dead).toMatchObject({ code: 1, text: expect.stringContaining("ldaps://localhost:9: ") });
});

test.each<[string, string, Values, readonly string[]]>([
  [
    "ada@example.net",
    "an operator",
    {},
    ["uid=ada,ou=people,dc=example,dc=net", "group", "1: operator: cn=noc,", "role", "operator"],
  ],
  ["dot@example.net", "an account without a group", {}, ["line of LDAP_ROLES  none", "pending"]],
  ["nobody@example.net", "an unknown name", {}, ["fails: no entry below LDAP_USER_BASE"]],
  ["twin@example.net", "an ambiguous name", {}, ["matches more than one entry"]],
  [
    "cy@example.net",
    "an inactive account",
    { LDAP_ACTIVE_FILTER: "(!(o=as64496))" },
    ["LDAP_ACTIVE_FILTER excludes the entry uid=cy,"],
  ],
  [
    "ada@example.net",
    "an account without its id",
    { LDAP_ID_ATTRIBUTE: "employeeNumber" },
    ["correct LDAP_ID_ATTRIBUTE"],
  ],
])("explains %s, %s", async (name, _what, changes, facts) => {
  const { code, text: printed } = await users(["explain", name], changes);
  expect(code).toBe(0);
  for (const fact of facts) expect(printed).toContain(fact);
});

test("a contact with a person's address does not disturb the login of its first user", async () => {
  await directory.change(person("gil"));
  expect((await login("gil", {})).status).toBe(200);
  await directory.change(
    add(`cn=contact,${people}`, "objectClass: inetOrgPerson", "cn: contact", "sn: contact", "mail: gil@example.net"),
  );
  const { status, log } = await login("gil", {});
  expect(status).toBe(200);
  expect(log).toContain("narrow LDAP_USER_FILTER");
});

test("an account with the address of another account neither locks it out nor takes its address", async () => {
  await directory.change(person("vic"));
  const first = await login("vic", {});
  await directory.change(person("mal"));
  await directory.change(`dn: uid=mal,${people}\nchangetype: modify\nreplace: mail\nmail: vic@example.net\n`);
  expect((await login("mal", {}, "vic@example.net")).status).toBe(401);
  const byUid = { LDAP_USER_FILTER: "(uid={{username}})" };
  expect((await login("mal", byUid, "mal")).status).toBe(200);
  expect(await login("vic", {})).toMatchObject({ status: 200, id: first.id });
  const { rows } = await stack.sql.query("select id from auth.users where email = 'vic@example.net'");
  expect(rows).toEqual([{ id: first.id }]);
  await directory.change(`dn: uid=vic,${people}\nchangetype: delete\n`);
  expect((await login("mal", {}, "vic@example.net")).status).toBe(200);
});
