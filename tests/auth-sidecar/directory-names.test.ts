/** Names of the directory, compared by value: OpenLDAP is the judge. */
import fc from "fast-check";
import { decodeJwt } from "jose";
import { Attribute, Change, Client } from "ldapts";
import { parseName } from "@routeql/sidecar-settings/distinguished-name";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LoginReply } from "./client.ts";
import { type StartedDirectoryContainer, startDirectory } from "./directory-container.ts";
import { namePairs } from "./name-pairs.ts";
import { Stack } from "./stack.ts";

let stack: Stack;
let directory: StartedDirectoryContainer;

const group = (dn: string, cn: string, member: string) =>
  [`dn: ${dn}`, "changetype: add", "objectClass: groupOfNames", `cn: ${cn}`, `member: ${member}`, ""].join("\n");
const ben = "uid=ben,ou=people,dc=example,dc=net";
const night = "cn=NOC\\, Night,ou=groups,dc=example,dc=net";

beforeAll(async () => {
  [stack, directory] = await Promise.all([Stack.start(), startDirectory()]);
  await directory.change(group(night, "NOC, Night", ben));
});

afterAll(async () => {
  await Promise.all([stack[Symbol.asyncDispose](), directory.stop()]);
});

/** The role of ben's token with these settings. */
async function roleOfBen(settings: Record<string, string>): Promise<unknown> {
  await using running = await stack.sidecar({ ...directory.searchSettings, ...settings });
  const body = { email: "ben@example.net", password: "ben has a password" };
  const login = await running.client.call("POST", "/api/auth/login/ldap", { body });
  const { body: token, status } = await running.client.token((login.body as LoginReply).user.sessionId);
  if (status !== 200) return status;
  const claims = decodeJwt((token as { access_token: string }).access_token)["https://hasura.io/jwt/claims"];
  return (claims as Record<string, unknown>)["x-hasura-default-role"];
}

const base = { LDAP_GROUP_BASE: "ou=groups,dc=example,dc=net" };

test.each([
  ["by cn, from memberOf", { LDAP_ROLES: "analyst: NOC, Night" }],
  ["by DN, from memberOf", { LDAP_ROLES: `analyst: ${night}` }],
  ["by DN, from a search", { LDAP_ROLES: `analyst: ${night}`, ...base }],
  ["by another spelling of the DN", { LDAP_ROLES: "analyst: CN=noc\\2c  night, OU=groups, DC=example, DC=net" }],
  ["by cn, from a search", { LDAP_ROLES: "analyst: NOC, Night", ...base }],
])("a group with a comma in its name gives its role: %s", async (_how, settings) => {
  expect(await roleOfBen(settings)).toBe("analyst");
});

test("a line for a group with a comma restricts its members, before one that grants more", async () => {
  expect(await roleOfBen({ LDAP_ROLES: `viewer: ${night}; operator: *`, LDAP_WIDE_CATCH_ALL: "true", ...base })).toBe(
    "viewer",
  );
});

/** With ROUTEQL_RANDOM_NAMES=10000 the test compares more. */
const pairs = Number(process.env["ROUTEQL_RANDOM_NAMES"] ?? 300);

test("two names are equal exactly if they are for OpenLDAP", async () => {
  const client = new Client({ url: `ldap://localhost:${directory.getPlainPort()}` });
  await client.bind("cn=root,dc=example,dc=net", "directory-root");
  const verdicts = { true: 0, false: 0 };
  for (const [one, other] of fc.sample(namePairs, { numRuns: pairs, seed: 4514 })) {
    const modification = new Attribute({ type: "seeAlso", values: [one] });
    await client.modify(ben, new Change({ operation: "replace", modification }));
    const equal = await client.compare(ben, "seeAlso", other);
    verdicts[`${equal}`] += 1;
    const keys = [one, other].map((name) => parseName(name)?.key);
    expect(keys, JSON.stringify([one, other])).not.toContain(undefined);
    expect(keys[0] === keys[1], JSON.stringify([one, other])).toBe(equal);
  }
  await client.unbind();
  expect(Math.min(verdicts.true, verdicts.false)).toBeGreaterThan(pairs / 6);
});
