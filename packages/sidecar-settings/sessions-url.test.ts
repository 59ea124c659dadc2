import { expect, test } from "vitest";
import { readSessionsUrl } from "./sessions-url.ts";

test.each([
  // Access keys of managed stores are base64.
  ["rediss://:ab+cd=@store.example.net:6380", { port: 6380, password: "ab+cd=", encrypted: true }],
  [
    "valkeys://default:ab@store.example.net:12691",
    { username: "default", password: "ab", port: 12_691, encrypted: true },
  ],
  ["valkey://default:ab@store.example.net", { username: "default", password: "ab" }],
  ["redis://:ab@store.example.net", { password: "ab" }],
  ["redis://default:a%25b%2Fc%40d@store.example.net/3", { username: "default", password: "a%b/c@d", db: 3 }],
  ["redis://:a:b@store.example.net/", { password: "a:b" }],
])("reads %s", (text, expected) =>
  expect(readSessionsUrl(text)).toEqual({
    host: "store.example.net",
    port: 6379,
    db: 0,
    encrypted: false,
    ...expected,
  }),
);

test("reads an IPv6 address without brackets", () =>
  expect(readSessionsUrl("redis://:ab@[2001:db8::5]:6380/")).toMatchObject({ host: "2001:db8::5", port: 6380 }));

test.each([
  ["redis://:a%b@store", "has a % without two hexadecimal digits"],
  ["redis://:a/b@store:6379", "must be an address that starts with redis://"],
  ["redis://:a#b@store:6379", "must be an address that starts with redis://"],
  ["store.example.net:6379,password=ab,ssl=True", "must be an address that starts with redis://"],
  ["rediss://:ab@store?ssl_cert_reqs=none", "has parameters after ? or #"],
  ["redis://:ab@store/cache", "something else after its host than the number of a database"],
])("refuses %s", (text, problem) => expect(readSessionsUrl(text)).toContain(problem));
