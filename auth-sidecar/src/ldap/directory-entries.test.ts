import { expect, test } from "vitest";
import { directoryTime, hasEnded, nextRange, readEntry, values } from "./directory-entries.ts";

test.each([
  ["20261129190530Z", "2026-11-29T19:05:30.000Z"],
  ["20261129190530.123Z", "2026-11-29T19:05:30.000Z"],
  ["2026112919Z", "2026-11-29T19:00:00.000Z"],
  ["20261129190530+0200", "2026-11-29T17:05:30.000Z"],
  ["132539328000000000", "2021-01-01T00:00:00.000Z"],
])("reads the time %s", (value, time) => {
  expect(directoryTime(value)?.toISOString()).toBe(time);
});

test.each([undefined, "", "0", "-1", "9223372036854775807", "yesterday", "20269929190530Z"])(
  "has no time for %s",
  (value) => {
    expect(directoryTime(value)).toBeUndefined();
  },
);

test.each([
  [{}, false],
  [{ accountExpires: "0" }, false],
  [{ accountExpires: "9223372036854775807" }, false],
  [{ accountexpires: "132539328000000000" }, true],
  [{ accountExpires: "148639328000000000" }, false],
  [{ krbPrincipalExpiration: "20210101000000Z" }, true],
  [{ pwdEndTime: ["20210101000000Z"] }, true],
  [{ pwdEndTime: "20990101000000Z" }, false],
])("an account with %j has ended: %s", (attributes, ended) => {
  expect(hasEnded({ dn: "uid=ada", ...attributes }, Date.UTC(2026, 0, 1))).toBe(ended);
});

test("names of attributes have no case, and ranges continue where they end", () => {
  const entry = { dn: "uid=ada", MemberOf: [], "memberOf;range=0-1499": ["cn=a", "cn=b"] };
  expect(values(entry, "memberof")).toEqual([]);
  expect(nextRange(entry, "memberOf")).toEqual({ values: ["cn=a", "cn=b"], next: "memberOf;range=1500-*" });
  expect(nextRange({ dn: "uid=ada", "memberOf;range=1500-*": "cn=c" }, "memberOf")).toEqual({
    values: ["cn=c"],
    next: undefined,
  });
  expect(nextRange({ dn: "uid=ada", memberOf: "cn=a" }, "memberOf")).toBeUndefined();
});

test("reads addresses of proxyAddresses, the main one first", () => {
  const names = { id: "uid", email: "proxyAddresses", name: "cn", organisation: "o", passwordTime: undefined };
  const proxyAddresses = [
    "x500:/o=Example/cn=ada@x",
    "smtp:a@example.net",
    "SMTP:ada@example.net",
    "SIP:ada@example.net",
  ];
  expect(readEntry({ dn: "uid=ada", uid: "ada", proxyAddresses }, names)).toMatchObject({
    emails: ["ada@example.net", "a@example.net"],
  });
  expect(readEntry({ dn: "uid=ada", uid: "ada", proxyAddresses: ["SIP:ada@example.net"] }, names)).toContain(
    "no usable",
  );
});

test("a directory may answer with another name of the attribute", () => {
  const entry = { dn: "uid=ada", entryUUID: "1", mail: "ada@example.net", CN: "Ada", organizationName: "as64496" };
  const attributes = { id: "entryUUID", email: "rfc822Mailbox", name: "commonName", organisation: "o" };
  expect(readEntry(entry, { ...attributes, passwordTime: undefined })).toMatchObject({
    emails: ["ada@example.net"],
    name: "Ada",
    organisation: "as64496",
  });
});
