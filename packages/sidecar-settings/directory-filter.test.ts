import fc from "fast-check";
import { EqualityFilter } from "ldapts";
import { expect, test } from "vitest";
import { directoryFilter, groupFilter } from "./directory-filter.ts";
import type { FilterTemplate } from "./search-filter.ts";

const read = (text: string) => directoryFilter(text, ["username"]) as FilterTemplate;

test("ASVS 1.2.6: for any value the filter keeps its shape and matches only that text", () => {
  const template = read("(mail={{username}})");
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }).filter((text) => text.isWellFormed()),
      (username) => {
        const filter = template.filled({ username });
        expect(filter).toBeInstanceOf(EqualityFilter);
        expect(Buffer.from((filter as EqualityFilter).value).toString()).toBe(username);
      },
    ),
  );
  expect(template.filled({ username: "*)(uid=*" }).toString()).toBe("(mail=\\2a\\29\\28uid=\\2a)");
  expect(template.filled({ username: "{{username}}$&" }).toString()).toBe("(mail={{username}}$&)");
});

test.each([
  ["(mail=x)", "must contain {{username}}"],
  ["(mail={{username}}", "must be an LDAP filter (RFC 4515), but has its end in place of )"],
  [
    "mail {{username}}",
    'must be an LDAP filter (RFC 4515), but has "mail {{username}})" in place of an attribute and =',
  ],
  ["({{username}}=x)", 'must be an LDAP filter (RFC 4515), but has "{{username}}=x)" in place of an attribute and ='],
  ["(|(mail={{username}})(uid={{user}}))", "has {{user}}, which has no meaning there"],
  [
    "(|(mail={{username}})(uid={{user name}}))",
    'must be an LDAP filter (RFC 4515), but has {{ without a name and }} in "{{user name}}": write \\7b for {',
  ],
])("%s %s", (text, problem) => {
  expect(directoryFilter(text, ["username"])).toBe(problem);
});

// A name that begins with hexadecimal digits would complete the escape.
test.each(["(mail=\\{{username}})", "(mail=\\5{{username}})"])("%s has no complete escape", (text) => {
  expect(directoryFilter(text, ["username"])).toContain("write \\5c for the backslash");
});

test.each([
  "(mail={{username}})",
  "(&(objectClass=person)(|(mail={{username}})(uid={{username}})))",
  "(&(sAMAccountName={{username}})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))",
])("%s is right", (text) => {
  expect(read(text).places).toEqual(["username"]);
});

test("a filter of groups needs a place, and knows its places and rules", () => {
  expect(groupFilter("(cn=x)")).toBe("must contain {{dn}}, or an attribute of the account such as {{uid}}");
  const filter = groupFilter("(|(member:1.2.840.113556.1.4.1941:={{dn}})(memberUid={{uid}})(x={{dn}}))");
  expect(filter).toMatchObject({ places: ["dn", "uid"], rules: new Set(["1.2.840.113556.1.4.1941"]) });
});
