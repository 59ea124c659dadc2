import { expect, test } from "vitest";
import { numberSettings } from "@routeql/sidecar-settings/numbers";
import { readSettings as readSidecarSettings } from "@routeql/auth-sidecar/settings";
import { directorySettingNames } from "../settings/declared/sidecar.ts";
import { type GivenSettings, settings, settingNames } from "../settings/list.ts";
import { describeStack, serviceNamed } from "../testing/descriptions.ts";
import type { ServiceDescription } from "../description/service.ts";

const directory: GivenSettings = {
  ldapUrl: "ldaps://ldap1.example.net ldaps://ldap2.example.net",
  ldapCaFile: "ca.pem",
  ldapBindDn: "cn=routeql,dc=example,dc=net",
  ldapBindPassword: "a directory's password",
  ldapUserBase: "ou=people,dc=example,dc=net",
  ldapActiveFilter: "(!(nsAccountLock=TRUE))",
  ldapGroupBase: "ou=groups,dc=example,dc=net",
  ldapRoles: "operator: noc; viewer: *",
  ldapTimeoutMilliseconds: 500,
};

const describe = (given: GivenSettings, directoryAuthority?: string): readonly ServiceDescription[] =>
  describeStack(given, "prod", { directoryAuthority });
const sidecar = (given: GivenSettings, directoryAuthority?: string): ServiceDescription =>
  serviceNamed(describe(given, directoryAuthority), "auth-sidecar");

test("without a directory no service has LDAP settings or external calls", () => {
  expect(Object.keys(sidecar({}).environment).filter((name) => name.startsWith("LDAP_"))).toEqual([]);
  expect(Object.values(sidecar({}).secrets)).not.toContain("ldap-bind-password");
  expect(sidecar({}).files).toEqual({});
  for (const { callsOutside } of describe({})) expect(callsOutside).toBeUndefined();
});

test("with a directory exactly the sidecar changes, and calls it", () => {
  const [without, withDirectory] = [describe({}), describe(directory, "CA")];
  const changed = withDirectory.filter(
    (described, index) => JSON.stringify(described) !== JSON.stringify(without[index]),
  );
  expect(changed.map(({ name, callsOutside }) => [name, callsOutside])).toEqual([["auth-sidecar", ["directory"]]]);
});

test("delivers the password and the authority as files, not in the environment", () => {
  const { environment, secrets, files } = sidecar(directory, "CA");
  expect(environment["LDAP_CA_FILE"]).toBe("/run/routeql/ldap/ca.pem");
  expect(files).toEqual({ "ldap/ca.pem": "CA" });
  expect(secrets["LDAP_BIND_PASSWORD_FILE"]).toBe("ldap-bind-password");
  expect(JSON.stringify({ environment, secrets, files })).not.toContain("a directory's password");
});

test("an anonymous search and public certificates need no secret and no file", () => {
  const { environment, secrets, files } = sidecar({ ldapUrl: "ldaps://a", ldapUserBase: "dc=example,dc=net" });
  expect(secrets).not.toHaveProperty("LDAP_BIND_PASSWORD_FILE");
  expect(environment).not.toHaveProperty("LDAP_CA_FILE");
  expect(files).toEqual({});
});

test("the sidecar accepts each setting", () => {
  const { environment, secrets } = sidecar(directory, "CA");
  const contents: Record<string, string> = {
    "/run/routeql/ldap/ca.pem": "CA",
    "/run/routeql/secrets/sidecar-database-url": "postgres://sidecar:c2Vx7hPq@database/routeql",
    "/run/routeql/secrets/sessions-url": "redis://sessions",
    "/run/routeql/secrets/service-api-key": "f3a9d1c07b5e4826a1c9e07d35b8f264",
    "/run/routeql/secrets/gateway-key": "9a1f5c3e7b2d4860a8c6e4f2d0b19375",
    "/run/routeql/secrets/previous-service-api-key": "0c5e9b7d3f1a48268b60d2f4a7c91e35",
    "/run/routeql/secrets/previous-key-encryption-key": "5d2a8f6017c34e9bb1e8406fd3972ac5",
    "/run/routeql/secrets/key-encryption-key": "b7e20f4c9d1a6835f0c4a7e92d5b8163",
    "/run/routeql/secrets/admin-password": "W4p-cQ81-mz0L-77xe",
    "/run/routeql/secrets/ldap-bind-password": "a directory's password",
  };
  const paths = Object.entries(secrets).map(([name, secret]) => [name, `/run/routeql/secrets/${secret}`]);
  const read = readSidecarSettings({ ...environment, ...Object.fromEntries(paths) }, (path) => contents[path] ?? "");
  expect(read).toMatchObject({
    LDAP_URL: ["ldaps://ldap1.example.net", "ldaps://ldap2.example.net"],
    LDAP_STARTTLS: false,
    LDAP_CA: "CA",
    LDAP_BIND_PASSWORD: "a directory's password",
    LDAP_TIMEOUT_MILLISECONDS: 500,
    LDAP_ROLES: [
      { role: "operator", group: "noc" },
      { role: "viewer", group: "*" },
    ],
  });
});

test("every setting of the list reaches the sidecar", () => {
  const all = Object.fromEntries(directorySettingNames.map((name) => [name, directory[name] ?? "x"]));
  const { environment, secrets } = sidecar(all, "CA");
  const given = [...Object.keys(environment), ...Object.keys(secrets)].filter((name) => name.startsWith("LDAP_"));
  const expected = directorySettingNames
    .map((name) => settings[name].environment)
    .map((name) => (name === "LDAP_BIND_PASSWORD" ? "LDAP_BIND_PASSWORD_FILE" : name));
  expect(given.toSorted()).toEqual(expected.toSorted());
});

test("every number that the sidecar declares is a setting and reaches it without further code", () => {
  const numbers = Object.entries(numberSettings).map(([variable, { maximum }]) => {
    const name = settingNames.find((candidate) => settings[candidate].environment === variable);
    return { name, variable, maximum };
  });
  const given = Object.fromEntries(numbers.map(({ name, maximum }) => [name, maximum]));
  expect(sidecar({ ...directory, ...given }).environment).toMatchObject(
    Object.fromEntries(numbers.map(({ variable, maximum }) => [variable, String(maximum)])),
  );
});
