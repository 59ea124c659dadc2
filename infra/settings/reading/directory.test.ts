import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  readSettings as readSidecarSettings,
  settingsReference,
  SettingsError as SidecarError,
} from "@routeql/auth-sidecar/settings";
import { directorySettingNames } from "../declared/sidecar.ts";
import { settings } from "../list.ts";
import { SettingsError } from "./error.ts";
import { readSettings } from "./read.ts";
import type { Setting } from "../values/setting.ts";

const all: readonly Setting[] = directorySettingNames.map((name) => settings[name]);
const reference = settingsReference().filter(({ name }) => name.startsWith("LDAP_"));

test("the settings and defaults are those of the sidecar", () => {
  const text = (value: Setting["default"]): string | undefined => (value === undefined ? undefined : String(value));
  const ours = all.map(({ environment, default: byDefault }) => [environment, text(byDefault)]);
  // The deployment expects a file's path where the sidecar expects its content. The sidecar also accepts LDAP_CA_FILE.
  const sidecars = reference.map(({ name, byDefault }) => [name === "LDAP_CA" ? "LDAP_CA_FILE" : name, byDefault]);
  expect(Object.fromEntries(ours)).toEqual(Object.fromEntries(sidecars));
});

function problems(lines: readonly string[]): string[] {
  try {
    readSettings({ stack: "site", configuration: {}, environmentFile: { name: ".env", content: lines.join("\n") } });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems.map(({ name, problem }) => `${name} ${problem}`);
    throw error;
  }
  return [];
}

const directory = ["LDAP_URL=ldaps://ldap.example.net", "LDAP_USER_BASE=dc=example,dc=net"];

test("no setting is required, and an address with a base is enough", () => {
  expect(problems([])).toEqual([]);
  expect(problems(directory)).toEqual([]);
});

test.each([
  ["LDAP_ROLES=king: *", "ldapRoles has the role king, which neither RouteQL nor your metadata has"],
  ["LDAP_ROLES=King: *", "LDAP_ROLES must be lines such as operator: "],
  ["LDAP_ROLES=viewer: cn=A;B,dc=x", "; line 2 does not begin with a role"],
  ["LDAP_ROLES=operator: *; viewer: cn=guests,dc=b", "ldapRoles has the group cn=guests,dc=b after *"],
  ["LDAP_ROLES=viewer: cn=NOC, Night", "LDAP_ROLES has in line 1 a group that is not a DN"],
  ["LDAP_ROLES=viewer: cn=a,dc=b; operator: *", "ldapRoles gives everyone operator, which may grant more than viewer"],
  [
    "LDAP_ROLES=operator: noc",
    "ldapRoles names the group noc by its cn, which a group anywhere in the directory may have",
  ],
  ["LDAP_USER_FILTER=(uid=x)", "LDAP_USER_FILTER must contain {{username}}"],
  ["LDAP_ACTIVE_FILTER=(x=y", "LDAP_ACTIVE_FILTER must be an LDAP filter"],
  ["LDAP_ID_ATTRIBUTE=a b", "LDAP_ID_ATTRIBUTE must be the name of an attribute"],
  ["LDAP_TIMEOUT_MILLISECONDS=99", "LDAP_TIMEOUT_MILLISECONDS must be a whole number from 100 to 30000, not 99"],
  ["LDAP_BIND_DN=cn=a", "ldapBindPassword is missing, but ldapBindDn is set"],
  ["LDAP_BIND_PASSWORD=hush", "ldapBindDn is missing, but ldapBindPassword is set"],
])("%s alone is refused", (line, problem) => {
  const found = problems([...directory, line]);
  expect(found).toHaveLength(1);
  expect(found[0]).toContain(problem);
  expect(found[0]).not.toContain("hush");
});

test.each([
  ["LDAP_ROLES=operator: noc; viewer: *", "LDAP_GROUP_BASE=ou=groups,dc=example,dc=net"],
  ["LDAP_ROLES=viewer: cn=a,dc=b; operator: *", "LDAP_WIDE_CATCH_ALL=true"],
])("accepts %s with %s", (roles, other) => {
  expect(problems([...directory, roles, other])).toEqual([]);
});

test("rejects directory settings without an address, all at once", () => {
  expect(problems(["LDAP_USER_BASE=dc=example,dc=net", "LDAP_ROLES=viewer: *"])).toEqual([
    "ldapUrl is missing, but ldapUserBase, ldapRoles is set",
  ]);
});

test("rejects clear-text LDAP unless it is explicitly enabled", () => {
  const plain = ["LDAP_URL=ldaps://a,ldap://b", "LDAP_USER_BASE=dc=example,dc=net"];
  expect(problems(plain)).toEqual([expect.stringContaining("ldapUrl has ldap://, which sends passwords readable")]);
  expect(problems([...plain, "LDAP_STARTTLS=true"])).toEqual([]);
  expect(problems([...plain, "LDAP_PLAINTEXT=true"])).toEqual([]);
});

/** Whether the sidecar starts with these settings. */
function sidecarTakes(lines: readonly string[]): boolean {
  const entries = lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]);
  try {
    readSidecarSettings(
      {
        DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
        SESSIONS_URL: "redis://sessions",
        SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
        KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
        ...(Object.fromEntries(entries) as Record<string, string>),
      },
      () => "content of a file",
    );
    return true;
  } catch (error) {
    if (error instanceof SidecarError) return false;
    throw error;
  }
}

const extras = [[], ["LDAP_STARTTLS=true"], ["LDAP_PLAINTEXT=true"], ["LDAP_BIND_DN=cn=a"], ["LDAP_BIND_PASSWORD=p4"]];
const addresses = ["ldap://a", "ldaps://a", "ldap://a, ldaps://b"];

test.each(extras.flatMap((extra) => addresses.map((url) => [url, extra] as const)))(
  "the deployment and the sidecar both accept or reject %s with %j",
  (url, extra) => {
    const lines = [`LDAP_URL=${url}`, "LDAP_USER_BASE=dc=example,dc=net", ...extra];
    expect(problems(lines).length === 0).toBe(sidecarTakes(lines));
  },
);

const document = readFileSync(new URL("../../../docs/operate/ldap.md", import.meta.url), "utf8");
const examples = [...document.matchAll(/^## (.+)\n[\s\S]*?```ini\n([\s\S]*?)\n```$/gm)].map(
  ([, title = "", lines = ""]) => [title, lines.split("\n")] as const,
);

test("the page has an example for each kind of directory", () => {
  expect(examples.map(([title]) => title)).toEqual(["OpenLDAP", "Active Directory", "FreeIPA", "lldap"]);
});

test.each(examples)("the deployment and the sidecar accept the example for %s", (_title, lines) => {
  expect(problems(lines)).toEqual([]);
  expect(sidecarTakes(lines)).toBe(true);
});
