import { expect, test } from "vitest";
import { ownValue, parseName } from "./distinguished-name.ts";

const key = (text: string): string => {
  const name = parseName(text);
  if (name === undefined) throw new Error(`not a name: ${text}`);
  return name.key;
};

test.each([
  ["cn=NOC\\, Night,ou=g", "CN=noc\\2C night , OU = G"],
  ["cn=a+uid=b,dc=x", "UID=B + 2.5.4.3=A,dc=x"],
  ["cn=#04024869,dc=x", "cn=Hi,dc=x"],
  ["cn=#0C03C3A4C3", "cn=\u00c4\\C3"],
  ["cn=\\C3\\A4", "cn=\u00c4"],
  ["cn=A\u030a", "cn=\u00e5"],
  ["cn=\uff21\u00a0 b", "cn=a b"],
  ["cn=\\ a\\20", "cn=a"],
  ["commonName=x,0.9.2342.19200300.100.1.25=y", "cn=x,domainComponent=y"],
  ['cn="a, b+c",dc=x', "cn=a\\, b\\+c,dc=x"],
  ["cn=a=b", "cn=a\\=b"],
  ["labeledURI=A  b", "labeledUri=A b"],
])("%s and %s are one name", (one, other) => {
  expect(parseName(one)?.key).toBe(parseName(other)?.key);
});

test.each([
  ["cn=a,dc=x", "cn=a"],
  ["cn=a,dc=x", "dc=x,cn=a"],
  ["cn=a,cn=b", "cn=a+cn=b"],
  ["cn=a\\,dc\\=x", "cn=a,dc=x"],
  ["cn=a b", "cn=ab"],
  ["cn=a\\+uid\\=b", "cn=a+uid=b"],
  ["cn=stra\u00dfe", "cn=strasse"],
  ["cn=\u00f8", "cn=o"],
  ["labeledURI=A", "labeledURI=a"],
  ["vendorName=A", "vendorName=a"],
  ["cn=a", "ou=a"],
  ['cn=a\\"+cn=\\"b', "cn=a+cn=b"],
])("%s and %s are two names", (one, other) => {
  expect(key(one)).not.toBe(key(other));
});

test.each([
  "",
  "noc",
  "cn=a,",
  ",cn=a",
  "cn=a\\",
  "cn=a\\zz",
  'cn=a"b',
  'cn="a',
  "cn=a<b",
  "cn=#0",
  "cn=#61",
  "cn=#04",
  "cn=\\FF",
  "=a",
  "cn=a\\00",
])("%j is no name", (text) => {
  expect(parseName(text)).toBeUndefined();
});

test("the common name of an entry has no escapes and comes from its own part", () => {
  expect(ownValue(parseName("CN=NOC\\, Night,cn=groups,dc=x"), "cn")).toBe("NOC, Night");
  expect(ownValue(parseName("uid=ada+cn=Ada,dc=x"), "CN")).toBe("Ada");
  expect(ownValue(parseName("ou=noc,cn=groups,dc=x"), "cn")).toBeUndefined();
});

test.each([
  ["cn=a\\,dc=b,ou=c,DC=example,domainComponent=net", ["example", "net"]],
  ["dc=example,dc=net", ["example", "net"]],
  ["dc=x,o=y", []],
])("the domain of %s", (text, domain) => {
  expect(parseName(text)?.domain).toEqual(domain);
});
