import { expect, test } from "vitest";
import { checkDirectory } from "./directory-check.ts";
import { entry, FakeDirectory, operations, type Request, result } from "./testing/fake-directory.ts";
import { settingsFor } from "./testing/fake-settings.ts";

const people = Array.from({ length: 8000 }, (_, index) => `person${index}`);
const group = "cn=noc,ou=groups,dc=example";

/** A directory that returns all its accounts, although a search asks for two. */
const unlimited = (attributesOf: (name: string) => Record<string, readonly string[]>) => {
  const answer = (request: Request): readonly Buffer[] => {
    if (request.operation === operations.bind) return [result(request, 0)];
    if (request.text.includes(group)) return [entry(request, group, { cn: ["noc"] }), result(request, 0)];
    if (request.text.includes("desk")) return [result(request, 0)];
    const entries = people
      .map((name) => ({ name, attributes: attributesOf(name) }))
      .filter(({ attributes }) => !request.text.includes("\u0087\u0004mail") || "mail" in attributes)
      .map(({ name, attributes }) => entry(request, `uid=${name},ou=people,dc=example`, attributes));
    return [Buffer.concat(entries), result(request, 0)];
  };
  return FakeDirectory.start(answer);
};

const complete = (name: string) => ({ uid: [name], mail: [`${name}@example.net`], cn: ["a name of some length"] });

test("a directory that ignores the size limit is usable, and its missing groups are named", async () => {
  await using directory = await unlimited(complete);
  const settings = settingsFor([directory], {
    LDAP_USER_FILTER: "(cn={{username}})",
    LDAP_ROLES: `operator: ${group}; analyst: desk; viewer: *`,
    LDAP_GROUP_BASE: "ou=groups,dc=example",
  });
  expect(await checkDirectory(settings)).toEqual({
    problems: [],
    missingGroups: [
      expect.stringContaining("line 2 of LDAP_ROLES names the group desk: the directory has no such group"),
    ],
  });
});

test("a directory that ignores the size limit and has no addresses is not usable", async () => {
  await using directory = await unlimited((name) => ({ uid: [name], cn: ["a name of some length".repeat(5)] }));
  const settings = settingsFor([directory], { LDAP_USER_FILTER: "(cn={{username}})", LDAP_ROLES: "viewer: *" });
  expect((await checkDirectory(settings)).problems).toEqual([
    "no account has uid and mail: correct LDAP_ID_ATTRIBUTE and LDAP_EMAIL_ATTRIBUTE, or let LDAP_BIND_DN read them",
  ]);
});
