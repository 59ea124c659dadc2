import { expect, test } from "vitest";
import { readSettings, SettingsError } from "../settings.ts";

const needed = {
  DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
  SESSIONS_URL: "redis://sessions",
  SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
  KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
};
const directory = { LDAP_URL: "ldaps://a, ldaps://b:6360", LDAP_USER_BASE: "dc=example" };

function problems(changes: Record<string, string>): readonly string[] {
  try {
    readSettings({ ...needed, ...changes });
    return [];
  } catch (error) {
    return (error as SettingsError).problems;
  }
}

test("without LDAP_URL there is no directory; with it the servers keep their order", () => {
  expect(readSettings(needed).LDAP_URL).toBeUndefined();
  expect(readSettings({ ...needed, ...directory })).toMatchObject({
    LDAP_URL: ["ldaps://a", "ldaps://b:6360"],
    LDAP_STARTTLS: false,
    LDAP_ROLES: [],
    LDAP_USER_FILTER: { places: ["username"] },
  });
});

test.each([
  [{ LDAP_URL: "http://a" }, "LDAP_URL: must be addresses"],
  [{ LDAP_URL: "ldaps://user@a" }, "without a user: LDAP_BIND_DN"],
  [{ LDAP_URL: "ldaps://a/dc=example,dc=net?mail?sub" }, "write them into LDAP_USER_BASE and LDAP_USER_FILTER"],
  [{ LDAP_URL: "ldaps://a;ldaps://b" }, "separated by spaces or commas"],
  [{ LDAP_URL: "LDAPS://a" }, "in lower case, with two slashes"],
  [{ LDAP_URL: "ldaps:a" }, "in lower case, with two slashes"],
  [{ LDAP_URL: "ldaps://bücher.example:636" }, "as name servers have it: xn--bcher-kva.example"],
  [{ LDAP_URL: "ldaps://2001:db8::1" }, "with an IPv6 address in brackets"],
  [{ LDAP_URL: "ldaps://[fe80::1%25eth0]" }, "no zone"],
  [{ LDAP_URL: "ldaps://a:0" }, "LDAP_URL: must be addresses"],
  [{ LDAP_URL: "ldaps://" }, "LDAP_URL: must be addresses that start with ldap:// or ldaps://, with a host"],
  [{ LDAP_URL: "" }, "LDAP_URL: must be addresses"],
  [{ LDAP_URL: "ldap://a" }, "LDAP_URL: ldap:// sends passwords readable"],
  [{ LDAP_USER_BASE: "" }, "LDAP_USER_BASE: must not be empty"],
  [{ LDAP_USER_FILTER: "(mail=a)" }, "LDAP_USER_FILTER: must contain {{username}}"],
  [{ LDAP_GROUP_FILTER: "(member={{dn}}" }, "LDAP_GROUP_FILTER: must be an LDAP filter"],
  [{ LDAP_ROLES: "admin: *" }, "LDAP_ROLES: must be lines"],
  [{ LDAP_ROLES: "viewer: cn=NOC, Night" }, "LDAP_ROLES: has in line 1 a group that is not a DN"],
  [{ LDAP_ROLES: "viewer: staff; operator: *" }, "LDAP_ROLES: gives everyone operator"],
  [{ LDAP_ROLES: "desk: *" }, "LDAP_ROLES: there is no role desk"],
  [{ LDAP_STARTTLS: "yes" }, "LDAP_STARTTLS: must be true or false"],
  [{ LDAP_BIND_DN: "cn=search" }, "LDAP_BIND_DN, LDAP_BIND_PASSWORD: give both or neither"],
  [{ LDAP_ID_ATTRIBUTE: "(uid" }, "LDAP_ID_ATTRIBUTE: must be the name of an attribute"],
])("%j is refused", (changes, problem) => {
  const found = problems({ ...directory, ...changes });
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(problem);
});

test("allows clear text only if it is explicitly enabled", () => {
  expect(problems({ ...directory, LDAP_URL: "ldap://a", LDAP_PLAINTEXT: "true" })).toEqual([]);
  expect(problems({ ...directory, LDAP_URL: "ldap://a", LDAP_STARTTLS: "true" })).toEqual([]);
});
