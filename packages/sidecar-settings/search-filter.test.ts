import fc from "fast-check";
import { AndFilter, EqualityFilter, ExtensibleFilter, Filter, SubstringFilter } from "ldapts";
import { expect, test } from "vitest";
import { readFilter } from "./search-filter.ts";

test.each([
  ["(& (objectClass=person) (mail=x))", "(&(objectClass=person)(mail=x))"],
  ["(&\n  (objectClass=person)\n  (! (mail=x) )\n)\n", "(&(objectClass=person)(!(mail=x)))"],
  ["mail=x", "(mail=x)"],
  ["|(mail=x)(uid=x)", "(|(mail=x)(uid=x))"],
  ["(cn;lang-de= a b )", "(cn;lang-de= a b )"],
  ["(2.5.4.3=x)", "(2.5.4.3=x)"],
  ["(memberOf=cn=caf\\c3\\a9\\5c, bar,dc=x)", "(memberOf=cn=café\\5c, bar,dc=x)"],
  ["(userAccountControl:1.2.840.113556.1.4.803:=2)", "(userAccountControl:1.2.840.113556.1.4.803:=2)"],
  ["(ou:dn:=people)", "(ou:dn:=people)"],
  ["(:dn:2.4.6.8.10:=x)", "(:dn:2.4.6.8.10:=x)"],
  ["(cn:=a:b)", "(cn:=a:b)"],
  ["(|(&)(|)(a>=1)(a<=2)(a~=3)(a=))", "(|(&)(|)(a>=1)(a<=2)(a~=3)(a=))"],
  ["(mail=a**b*c)", "(mail=a*b*c)"],
  ["(mail=**)", "(mail=*)"],
])("%j means %s", (text, meaning) => {
  expect(readFilter(text).filled().toString()).toBe(meaning);
});

test.each([
  ["(memberOf=cn=A\\, B,dc=x)", "write \\5c for the backslash, so a comma of a name is \\5c,"],
  ["(cn=a(b)", "write \\28 for it and \\29 for )"],
  ["(&(a=b)(c=d)", "has its end in place of )"],
  ["(a=b))", 'has ")" after its last parenthesis'],
  ["(!(a=b)(c=d))", 'has "(c=d))" in place of )'],
  ["(mail = x)", 'has "mail = x)" in place of an attribute and ='],
  ["(=x)", 'has "=x)" in place of an attribute and ='],
  ["", "in place of an attribute"],
  ["(cn:caseExactMatch:=a*)", 'has * in "a*" after :=, but only = has patterns: write \\2a'],
  ["(cn~=\\ff)", "has bytes that are no UTF-8"],
  ["(cn=\\ff{{name}})", "has bytes that are no UTF-8"],
])("%j is refused: %s", (text, reason) => {
  expect(() => readFilter(text)).toThrow(reason);
});

test("a whole value may have any bytes", () => {
  const { value } = readFilter("(objectGUID=\\01\\ff)").filled() as EqualityFilter;
  expect(value).toEqual(Buffer.from([1, 0xff]));
});

test("values of every form come back from their escapes", () => {
  const text = fc.string({ unit: "binary", minLength: 1 }).filter((value) => value.isWellFormed());
  const escaped = (value: string) => Filter.escape(Buffer.from(value));
  fc.assert(
    fc.property(text, text, (one, other) => {
      const written = `(&(cn=${escaped(one)})(cn=${escaped(one)}*${escaped(other)})(cn:x:=${escaped(one)}))`;
      const { filters } = readFilter(written).filled() as AndFilter;
      expect((filters[0] as EqualityFilter).value).toBe(one);
      expect(filters[1]).toMatchObject({ initial: one, any: [], final: other } satisfies Partial<SubstringFilter>);
      expect((filters[2] as ExtensibleFilter).value).toBe(one);
    }),
  );
});

test.each([
  ["(mail={{name}})", "(mail=*)"],
  ["(mail={{name}}*)", "(mail=*)"],
  ["(userPrincipalName={{name}}@example.net)", "(userPrincipalName=*@example.net)"],
  ["(&(uid:caseExactMatch:={{name}})(a>={{name}}))", "(&(uid=*)(a=*))"],
  ["(:caseExactMatch:={{name}})", "(objectClass=*)"],
  ["(cn=a{{name}}b*c{{name}})", "(cn=a*b*c*)"],
])("%s for every name is %s", (template, meaning) => {
  expect(readFilter(template).forEveryValue().toString()).toBe(meaning);
});

test("values fill the places of every form, and stay values", () => {
  const filter = readFilter("(|(cn={{name}})(cn=\\c3\\a9{{name}}*{{name}}!)(cn>={{name}})(cn:x:=a{{name}}))");
  expect(filter.filled({ name: "*)\\5c\0é" }).toString()).toBe(
    ["(|(cn=V)", "(cn=éV*V!)", "(cn>=V)", "(cn:x:=aV))"].join("").replaceAll("V", "\\2a\\29\\5c5c\\00é"),
  );
  expect(() => filter.filled({})).toThrow("A filter lacks the value of {{name}}.");
});
