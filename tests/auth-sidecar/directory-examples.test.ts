/**
 * Logs in with every example of docs/operate/ldap.md to a server of its kind: OpenLDAP, Samba's Active Directory, and 389 Directory
 * Server with FreeIPA's entries. No package provides lldap, so OpenLDAP serves its tree. Only address, authority and password are
 * replaced.
 */
import { readFileSync } from "node:fs";
import { checkDirectory } from "@routeql/auth-sidecar/ldap/directory-check";
import { hasDirectory } from "@routeql/auth-sidecar/ldap/directory-connection";
import { readSettings } from "@routeql/auth-sidecar/settings";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { isRootless } from "../harness/docker/require-limits.ts";
import type { LoginReply } from "./client.ts";
import {
  directoryImage,
  type DirectoryName,
  type StartedDirectoryContainer,
  startDirectory,
} from "./directory-container.ts";
import { type RunningSidecar, Stack } from "./stack.ts";

const document = readFileSync(new URL("../../docs/operate/ldap.md", import.meta.url), "utf8");

/** The settings of the example below a heading. */
function example(title: string): Record<string, string> {
  const [, lines] = new RegExp(`^## ${title}\n[^#]*?\`\`\`ini\n([^\`]+)\n\`\`\``, "m").exec(document) ?? [];
  if (lines === undefined) throw new Error(`docs/operate/ldap.md has no example for ${title}`);
  return Object.fromEntries(
    lines.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

interface Kind {
  readonly title: string;
  readonly server: DirectoryName;
  readonly searchPassword: string;
  readonly password: (name: string) => string;
  readonly id: RegExp;
  /** Why a rootless engine cannot run the server. */
  readonly notRootless?: string;
  /** Login name, account, and resulting role. */
  readonly logins: readonly (readonly [typed: string, name: string, role: string])[];
  readonly dn: (name: string) => string;
  /** Change records before any login. */
  readonly before?: string;
  /** LDIF that disables cy without removing the entry; absent if the example has no such filter. */
  readonly disable?: string;
}

const modify = (dn: string, ...lines: readonly string[]) =>
  [`dn: ${dn}`, "changetype: modify", ...lines, ""].join("\n");
const remove = (dn: string) => `dn: ${dn}\nchangetype: delete\n`;
const uuid = /^ldap-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const person = (name: string) => `uid=${name},ou=people,dc=example,dc=net`;
const staff = (name: string) => `${name},OU=Staff,DC=example,DC=net`;
const account = (name: string) => `uid=${name},cn=users,cn=accounts,dc=example,dc=net`;
const names: Readonly<Record<string, string>> = {
  ada: "CN=Ada Operator",
  ben: "CN=Analyst\\, Ben",
  cy: "CN=Cy",
  dot: "CN=Dot",
};

const kinds: readonly Kind[] = [
  {
    title: "OpenLDAP",
    server: "openldap",
    searchPassword: "routeql has a password",
    password: (name) => `${name} has a password`,
    id: uuid,
    logins: [
      ["Ada@example.net", "ada", "operator"],
      ["ben@example.net", "ben", "analyst"],
      ["cy@example.net", "cy", "viewer"],
    ],
    dn: person,
  },
  {
    title: "Active Directory",
    server: "active-directory",
    notRootless: "Samba stores attributes of the namespace `security`, which a rootless engine rejects",
    searchPassword: "routeql has a Password 1",
    password: (name) => `${name} has a Password 1`,
    id: /^ldap-[0-9a-f]{32}$/,
    logins: [
      ["ada.operator@example.net", "ada", "operator"], // by mail, in a group inside the group
      ["ada@example.net", "ada", "operator"], // by userPrincipalName
      ["BEN.analyst@example.net", "ben", "analyst"],
      ["cy.analyst@example.net", "cy", "analyst"],
      ["eve@example.net", "eve", "analyst"], // by the primary group
      ["fay@example.net", "fay", "operator"], // by a group with the primary group inside
    ],
    dn: (name) => staff(names[name]!),
    disable: modify(staff("CN=Cy"), "replace: userAccountControl", "userAccountControl: 514"),
  },
  {
    title: "FreeIPA",
    server: "freeipa",
    searchPassword: "routeql has a password",
    password: (name) => `${name} has a password`,
    id: uuid,
    logins: [
      ["ada.operator@example.net", "ada", "operator"],
      ["ada", "ada", "operator"],
      ["ben.analyst@example.net", "ben", "analyst"], // in a group inside the group
      ["cy", "cy", "analyst"],
    ],
    dn: account,
    disable: modify(account("cy"), "replace: nsAccountLock", "nsAccountLock: TRUE"),
  },
  {
    title: "lldap",
    server: "openldap",
    searchPassword: "routeql has a password",
    password: (name) => `${name} has a password`,
    id: uuid,
    // lldap sets memberOf itself; OpenLDAP sets it only for groups that are created while it runs.
    before: [
      "dn: cn=routeql_operators,ou=groups,dc=example,dc=net",
      "changetype: add",
      "objectClass: groupOfNames",
      "cn: routeql_operators",
      `member: ${person("ada")}`,
      "",
    ].join("\n"),
    logins: [
      ["ada@example.net", "ada", "operator"],
      ["ada", "ada", "operator"],
      ["cy", "cy", "viewer"],
    ],
    dn: person,
  },
];

let stack: Stack;

beforeAll(async () => {
  // All builds at once, because they wait for downloads. A failed one fails the tests of its server.
  for (const { server, notRootless } of kinds)
    if (!isRootless || notRootless === undefined) directoryImage(server).catch(() => undefined);
  stack = await Stack.start();
});

afterAll(async () => {
  await stack[Symbol.asyncDispose]();
});

describe.each(kinds)(
  "the example for $title",
  ({ title, server, searchPassword, password, id, notRootless, logins, dn, before, disable }) => {
    let directory: StartedDirectoryContainer;
    let running: RunningSidecar;
    let environment: Record<string, string>;

    const obstacle = isRootless ? notRootless : undefined;
    beforeEach((context) => context.skip(obstacle !== undefined, obstacle));

    beforeAll(async () => {
      if (obstacle !== undefined) return;
      directory = await startDirectory(server);
      if (before !== undefined) await directory.change(before);
      const { LDAP_CA_FILE: _, ...settings } = example(title);
      const port = settings["LDAP_STARTTLS"] === "true" ? directory.getPlainPort() : directory.getTlsPort();
      const scheme = settings["LDAP_STARTTLS"] === "true" ? "ldap" : "ldaps";
      environment = {
        ...settings,
        LDAP_URL: `${scheme}://localhost:${port}`,
        LDAP_CA: directory.ca,
        LDAP_BIND_PASSWORD: searchPassword,
        // On a busy machine an answer may take more than three seconds, which would return 503. These tests check the answer, not its
        // duration.
        LDAP_TIMEOUT_MILLISECONDS: "30000",
      };
      running = await stack.sidecar(environment);
    });

    afterAll(async () => {
      await running?.[Symbol.asyncDispose]();
      await directory?.stop();
    });

    const login = (email: string, secret: string) =>
      running.client.call("POST", "/api/auth/login/ldap", { body: { email, password: secret } });
    const session = async (typed: string, name: string) => (await login(typed, password(name))).body as LoginReply;
    const role = async (sessionId: string) => {
      const { status, body } = await running.client.token(sessionId);
      if (status !== 200) return status;
      const claims = decodeJwt((body as { access_token: string }).access_token)["https://hasura.io/jwt/claims"];
      return (claims as Record<string, unknown>)["x-hasura-default-role"];
    };

    test.each(logins)("logs %s in as %s with the role %s", async (typed, name, expected) => {
      const { user } = await session(typed, name);
      expect(user._id).toMatch(id);
      expect(user.name.toLowerCase()).toContain(name);
      expect(await role(user.sessionId)).toBe(expected);
    });

    test("has no problem for the check of the directory", async () => {
      const settings = readSettings({ ...stack.environment, ...environment });
      expect(hasDirectory(settings) && (await checkDirectory(settings))).toEqual({ problems: [], missingGroups: [] });
    });

    test("identifies one account by one id, for every login name", async () => {
      const own = logins.filter(([, name]) => name === "ada");
      const ids = await Promise.all(own.map(async ([typed, name]) => (await session(typed, name)).user._id));
      expect(new Set(ids).size).toBe(1);
    });

    if (disable !== undefined) {
      test("ASVS 7.4.2: ends the session of a disabled account and rejects its logins", async () => {
        const [typed, name] = logins.find(([, login]) => login === "cy")!;
        const { user } = await session(typed, name);
        await directory.change(disable);
        expect(await role(user.sessionId)).toBe(401);
        expect((await login(typed, password(name))).status).toBe(401);
      });
    }

    test("ASVS 7.4.2: ends the session of a removed account and rejects its logins", async () => {
      const [[typed, name]] = logins as [Kind["logins"][number]];
      const { user } = await session(typed, name);
      await directory.change(remove(dn(name)));
      expect(await role(user.sessionId)).toBe(401);
      expect((await login(typed, password(name))).status).toBe(401);
    });
  },
);
