import { readFilter } from "@routeql/sidecar-settings/search-filter";
import type { Entry, Filter } from "ldapts";
import { expect, test } from "vitest";
import type { DirectoryConnection, DirectorySettings } from "./directory-connection.ts";
import type { DirectoryEntry } from "./directory-entries.ts";
import { groupsOf } from "./directory-search.ts";
import { DirectoryProblem } from "./directory-problems.ts";

const dn = "uid=ada,dc=example";

/** The groups of an account, whose later ranges the directory answers in this order. */
function groups(first: Omit<Entry, "dn">, ...rest: readonly (Omit<Entry, "dn"> | undefined)[]) {
  const asked: unknown[] = [];
  const connection = {
    search: async (_step: string, base: string, { attributes }: { attributes: readonly string[] }) => {
      const answer = rest[asked.push([base, ...attributes]) - 1];
      return { searchEntries: answer === undefined ? [] : [{ dn, ...answer }], searchReferences: [] };
    },
  } as unknown as DirectoryConnection;
  const account = { dn, entry: { dn, ...first } } as DirectoryEntry;
  return { asked, found: groupsOf(connection, {} as DirectorySettings, account) };
}

const beginning = { memberOf: [], "memberOf;range=0-1": ["cn=a", "cn=b"] };

test("reads the ranges of memberOf to their end", async () => {
  const { asked, found } = groups(
    beginning,
    { "memberOf;range=2-3": ["cn=c", "cn=d"] },
    { "memberOf;range=4-*": "cn=e" },
  );
  expect((await found).map((group) => group.dn)).toEqual(["cn=a", "cn=b", "cn=c", "cn=d", "cn=e"]);
  expect(asked).toEqual([
    [dn, "memberOf;range=2-*"],
    [dn, "memberOf;range=4-*"],
  ]);
});

test.each([
  ["without memberOf", {}, []],
  ["with all groups in memberOf", { memberOf: ["cn=a", "cn=b"] }, ["cn=a", "cn=b"]],
])("asks for no range of an entry %s", async (_what, first, names) => {
  const { asked, found } = groups(first);
  expect((await found).map((group) => group.dn)).toEqual(names);
  expect(asked).toEqual([]);
});

test.each<[string, Omit<Entry, "dn">, readonly Omit<Entry, "dn">[]]>([
  ["no entry for a later range", beginning, []],
  ["no attribute for a later range", beginning, [{}]],
  ["an empty attribute for a later range", beginning, [{ memberOf: [] }]],
  ["a last range without values", beginning, [{ "memberOf;range=2-*": [] }]],
  ["a range in the middle without values", beginning, [{ "memberOf;range=2-3": [] }, { "memberOf;range=4-*": "cn=e" }]],
  ["a first range without values", { "memberOf;range=0-1": [] }, [{ "memberOf;range=2-*": "cn=c" }]],
  ["an only range without values", { "memberOf;range=0-*": [] }, []],
])("rejects %s, because a group may be missing", async (_what, first, rest) => {
  const { found } = groups(first, ...rest);
  await expect(found).rejects.toThrow(DirectoryProblem);
  await expect(found).rejects.toThrow("The search for groups failed: the rest of memberOf is missing");
});

/** The searches for the groups of an account of Active Directory, whose primary group has the number 1107. */
async function primaryGroups(settings: Partial<DirectorySettings>, ...answers: readonly (readonly string[])[]) {
  const asked: string[] = [];
  const connection = {
    search: async (_step: string, base: string, { filter }: { filter: Filter | string }) => {
      const found = answers[asked.push(`${base} ${filter.toString()}`) - 1] ?? [];
      return { searchEntries: found.map((each) => ({ dn: each, cn: "x" })), searchReferences: [] };
    },
  } as unknown as DirectoryConnection;
  // S-1-5-21-1-2-3-1105
  const objectSid = Buffer.from("01050000000000051500000001000000020000000300000051040000", "hex");
  // The name of the account has text like a part of the domain.
  const own = "CN=Ada\\,DC=a,dc=example,DC=net";
  const account = { dn: own, entry: { dn: own, memberOf: "CN=a", objectSid, primaryGroupID: "1107" } };
  const groups = await groupsOf(connection, settings as DirectorySettings, account as unknown as DirectoryEntry);
  return { asked, names: groups.map((group) => group.dn) };
}

const primarySid = [
  "01",
  "05",
  ...Array(5).fill("00"),
  "05",
  "15",
  ...Array(3).fill("00"),
  "01",
  ...Array(3).fill("00"),
]
  .concat(["02", ...Array(3).fill("00"), "03", ...Array(3).fill("00"), "53", "04", "00", "00"])
  .map((byte) => `\\${String(byte)}`)
  .join("");

test("finds the primary group of Active Directory in the domain of the account", async () => {
  const { asked, names } = await primaryGroups({}, ["CN=Domain Users"]);
  expect(names).toEqual(["CN=a", "CN=Domain Users"]);
  expect(asked).toEqual([`DC=example,DC=net (objectSid=${primarySid})`]);
});

test("finds the groups around the primary group with a filter of nested groups", async () => {
  const settings = {
    LDAP_GROUP_BASE: "OU=Groups,DC=example,DC=net",
    LDAP_GROUP_FILTER: readFilter("(member:1.2.840.113556.1.4.1941:={{dn}})"),
  };
  const { asked, names } = await primaryGroups(settings, ["CN=Munich"], ["CN=b"], ["CN=Operators"]);
  expect(names).toEqual(["CN=b", "CN=Munich", "CN=Operators"]);
  expect(asked.map((each) => each.replace(/^OU=Groups,DC=example,DC=net /, ""))).toEqual([
    `(objectSid=${primarySid})`,
    String.raw`(member:1.2.840.113556.1.4.1941:=CN=Ada\5c,DC=a,dc=example,DC=net)`,
    "(member:1.2.840.113556.1.4.1941:=CN=Munich)",
  ]);
});

test("does not count groups around the primary group with a filter of direct members", async () => {
  const LDAP_GROUP_FILTER = readFilter("(member={{dn}})");
  const settings = { LDAP_GROUP_BASE: "OU=Groups,DC=example,DC=net", LDAP_GROUP_FILTER };
  const { names } = await primaryGroups(settings, ["CN=Domain Users"], ["CN=b"], ["CN=Operators"]);
  expect(names).toEqual(["CN=b", "CN=Domain Users"]);
});

test("rejects an account with more than 21 ranges of groups", async () => {
  const ranges = Array.from({ length: 22 }, (_, index) => ({ [`memberOf;range=${index}-${index}`]: `cn=${index}` }));
  const { asked, found } = groups(ranges[0]!, ...ranges.slice(1));
  await expect(found).rejects.toThrow("the account has too many groups");
  expect(asked).toHaveLength(20);
});

test.each([
  ["the spelling of the attribute, not of the DN", "uid=Ada+cn=x,dc=example", { uid: ["ops", "ada"] }, "ada"],
  ["the name in the DN of several", "uid=ada,dc=example", { uid: ["ops", "ada"] }, "ada"],
  ["the name in the DN of an unreadable attribute", "uid=Ada,dc=example", {}, "Ada"],
  ["the only value of an attribute outside of the DN", "cn=x,dc=example", { uid: "ada" }, "ada"],
])("a filter with an attribute gets %s", async (_what, own, attributes, value) => {
  const filters: string[] = [];
  const connection = {
    search: async (_step: string, _base: string, { filter }: { filter: Filter }) => {
      filters.push(filter.toString());
      return { searchEntries: [], searchReferences: [] };
    },
  } as unknown as DirectoryConnection;
  const LDAP_GROUP_FILTER = readFilter("(memberUid={{uid}})");
  const settings = { LDAP_GROUP_BASE: "dc=example", LDAP_GROUP_FILTER } as DirectorySettings;
  await groupsOf(connection, settings, { dn: own, entry: { dn: own, ...attributes } } as unknown as DirectoryEntry);
  expect(filters).toEqual([`(memberUid=${value})`]);
});

test("asks for groups in pages if they are more than one answer may have", async () => {
  const asked: unknown[] = [];
  const connection = {
    search: async (_step: string, _base: string, { paged }: { paged: unknown }) => {
      asked.push(paged);
      if (paged === false) throw new DirectoryProblem("too many", 4);
      return { searchEntries: [{ dn: "cn=noc,dc=example", cn: "noc" }], searchReferences: [] };
    },
  } as unknown as DirectoryConnection;
  const settings = { LDAP_GROUP_BASE: "dc=example", LDAP_GROUP_FILTER: readFilter("(member={{dn}})") };
  const account = { dn, entry: { dn } } as DirectoryEntry;
  const groups = await groupsOf(connection, settings as unknown as DirectorySettings, account);
  expect(groups.map((group) => group.dn)).toEqual(["cn=noc,dc=example"]);
  expect(asked).toEqual([false, { pageSize: 200 }]);
});
