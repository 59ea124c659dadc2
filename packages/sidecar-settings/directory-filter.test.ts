import fc from "fast-check";
import { EqualityFilter } from "ldapts";
import { expect, test } from "vitest";
import { filledFilter, filterProblem } from "./directory-filter.ts";
import { readFilter } from "./search-filter.ts";

test("ASVS 1.2.6: for any value the filter keeps its shape and matches only that text", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", minLength: 1 }).filter((text) => text.isWellFormed()),
      (username) => {
        const filter = readFilter(filledFilter("(mail={{username}})", { username }));
        expect(filter).toBeInstanceOf(EqualityFilter);
        expect(Buffer.from((filter as EqualityFilter).value).toString()).toBe(username);
      },
    ),
  );
  expect(filledFilter("(mail={{username}})", { username: "*)(uid=*" })).toBe("(mail=\\2a\\29\\28uid=\\2a)");
  expect(filledFilter("(mail={{username}})", { username: "{{username}}$&" })).toBe("(mail={{username}}$&)");
});

test.each([
  ["(mail=x)", "must contain {{username}}"],
  ["(mail={{username}}", "must be an LDAP filter (RFC 4515), but has its end in place of )"],
  ["mail {{username}}", 'must be an LDAP filter (RFC 4515), but has "mail a value)" in place of an attribute and ='],
  ["({{username}}=x)", 'must be an LDAP filter (RFC 4515), but has "a value=x)" in place of an attribute and ='],
  ["(|(mail={{username}})(uid={{user}}))", "has a place that has no meaning"],
])("%s %s", (template, problem) => {
  expect(filterProblem(template, ["username"])).toBe(problem);
});

test.each([
  "(mail={{username}})",
  "(&(objectClass=person)(|(mail={{username}})(uid={{username}})))",
  "(&(sAMAccountName={{username}})(!(userAccountControl:1.2.840.113556.1.4.803:=2)))",
])("%s is right", (template) => {
  expect(filterProblem(template, ["username"])).toBeUndefined();
});
