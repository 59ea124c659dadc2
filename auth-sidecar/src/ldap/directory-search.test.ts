import type { Entry } from "ldapts";
import { expect, test } from "vitest";
import type { DirectoryConnection, DirectorySettings } from "./directory-connection.ts";
import type { DirectoryEntry } from "./directory-entries.ts";
import { groupsOf } from "./directory-search.ts";
import { DirectoryProblem } from "./result-codes.ts";

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

test("rejects an account with more than 21 ranges of groups", async () => {
  const ranges = Array.from({ length: 22 }, (_, index) => ({ [`memberOf;range=${index}-${index}`]: `cn=${index}` }));
  const { asked, found } = groups(ranges[0]!, ...ranges.slice(1));
  await expect(found).rejects.toThrow("the account has too many groups");
  expect(asked).toHaveLength(20);
});
